import Glibc
import SpateFilePaths
import SpateFileSystemCalls
import SpateTestSupport

/// A call on files, for two processes in two folders.
enum DiskCall {
    case open(folder: Int, name: FilePath, flags: CInt, slot: Int)
    case openUnnamed(folder: Int, slot: Int)
    case unlink(folder: Int, name: FilePath)
    case rename(folder: Int, from: FilePath, to: FilePath, replaces: Bool)
    case link(folder: Int, from: FilePath, to: FilePath)
    case linkUnnamed(slot: Int, folder: Int, name: FilePath)
    case close(slot: Int)
    case status(slot: Int)
    case statusOfName(folder: Int, name: FilePath, followsLinks: Bool)
    case read(slot: Int, count: Int, offset: Int64)
    case write(slot: Int, count: Int, byte: UInt8, offset: Int64)
    case resize(slot: Int, size: Int64)
    case reserve(slot: Int, offset: Int64, length: Int64)
    case lock(slot: Int, mode: CInt)
    case attribute(slot: Int, name: String)
    case setAttribute(slot: Int, name: String, text: String)
    case addAttribute(slot: Int, name: String, text: String)
    case removeAttribute(slot: Int, name: String)
    case setModified(slot: Int, seconds: Int64)
    case list(folder: Int)
    case makeFolder(path: FilePath)
    case changes(folder: Int)

    private static let names: [FilePath] = [
        "a", "b", "c", "d", "é", "e\u{301}", "sub", "link", "loop", "nothing", "pipe",
    ]

    static func random(_ random: inout SeededRandom) -> DiskCall {
        func pick<Element>(_ elements: [Element]) -> Element { elements[random.below(elements.count)] }
        let (folder, slot) = (random.below(4), random.below(DiskSide.slotCount))
        let name = random.below(60) == 0 ? FilePath(String(repeating: "n", count: 254 + random.below(3))) : pick(names)
        let attribute = pick(["user.one", "user.two", "user.three", "other"])
        switch random.below(28) {
        case 0...4:
            let extra = pick([0, O_CREAT, O_CREAT, O_CREAT | O_EXCL, O_TRUNC, O_CREAT | O_TRUNC, O_DIRECTORY])
            let flags = pick([O_RDONLY, O_WRONLY, O_RDWR, O_RDWR]) | extra | pick([0, O_NOFOLLOW])
            return .open(folder: folder, name: name, flags: flags, slot: slot)
        case 5: return .openUnnamed(folder: folder, slot: slot)
        case 6: return .unlink(folder: folder, name: name)
        case 7, 8: return .rename(folder: folder, from: name, to: pick(names), replaces: random.below(2) == 0)
        case 9: return .link(folder: folder, from: name, to: pick(names))
        case 10: return .linkUnnamed(slot: slot, folder: folder, name: name)
        case 11: return .close(slot: slot)
        case 12, 13: return .status(slot: slot)
        case 14: return .statusOfName(folder: folder, name: name, followsLinks: random.below(2) == 0)
        case 15: return .read(slot: slot, count: random.below(9_000), offset: Int64(random.below(20_000)) - 10)
        case 16, 17:
            let count = pick([random.below(100), random.below(10_000), 4_096])
            let offset = pick([0, 4_096, Int64(random.below(20_000)) - 10])
            return .write(slot: slot, count: count, byte: UInt8(random.below(255)), offset: offset)
        case 18: return .resize(slot: slot, size: Int64(random.below(20_000)) - 10)
        case 19:
            return .reserve(slot: slot, offset: Int64(random.below(9_000)) - 9, length: Int64(random.below(30_000)))
        case 20, 21: return .lock(slot: slot, mode: pick([LOCK_SH, LOCK_EX, LOCK_UN]))
        case 22: return .attribute(slot: slot, name: attribute)
        case 23:
            return .setAttribute(slot: slot, name: attribute, text: String(repeating: "x", count: random.below(60)))
        case 24: return .addAttribute(slot: slot, name: attribute, text: "added")
        case 25:
            return pick([
                .removeAttribute(slot: slot, name: attribute),
                .setModified(slot: slot, seconds: Int64(random.below(999))),
            ])
        case 26: return .makeFolder(path: pick(names))
        default: return pick([.list(folder: folder), .changes(folder: folder), .status(slot: slot)])
        }
    }
}

/// One of two disks that get the same calls. What a call answered is told as text.
final class DiskSide {
    static let slotCount = 10

    private let path: String
    /// Of two processes.
    private let platforms: [Platform]
    /// Each process has both folders open: 0 and 1 are those of the first.
    private let folders: [CInt]
    private let watches: [CInt]
    /// The even ones are the first process's.
    private var slots = [CInt?](repeating: nil, count: slotCount)

    /// - Parameter isWatched: whether changes of the folders are watched. Closing a real watch takes 25 ms.
    init(_ path: String, _ platforms: [Platform], isWatched: Bool) {
        (self.path, self.platforms) = (path, platforms)
        folders = platforms.flatMap { platform in ["\(path)", "\(path)/sub"].map { platform.openFolder($0) } }
        watches = folders.indices.map { [folders] in isWatched ? platforms[$0 / 2].watch(folders[$0]) : -1 }
    }

    func end() {
        for slot in slots.indices { _ = answer(to: .close(slot: slot)) }
        for index in folders.indices {
            platforms[index / 2].close(folders[index])
            if watches[index] >= 0 { platforms[index / 2].close(watches[index]) }
        }
    }

    func answer(to call: DiskCall) -> String {
        switch call {
        case .open(let folder, let name, let flags, let slot):
            let slot = folder / 2 + slot / 2 * 2
            return opened(
                platforms[folder / 2].open(folders[folder], name, flags | O_NONBLOCK | O_CLOEXEC, 0o666),
                slot
            )
        case .openUnnamed(let folder, let slot):
            return opened(platforms[folder / 2].openUnnamed(folders[folder]), folder / 2 + slot / 2 * 2)
        case .unlink(let folder, let name): return result(platforms[folder / 2].unlink(folders[folder], name))
        case .rename(let folder, let from, let to, let replaces):
            let platform = platforms[folder / 2]
            return result(
                replaces
                    ? platform.rename(folders[folder], from, to)
                    : platform.renameWithoutReplacing(folders[folder], from, to)
            )
        case .link(let folder, let from, let to): return result(platforms[folder / 2].link(folders[folder], from, to))
        case .linkUnnamed(let slot, let folder, let name):
            let folder = slot % 2 * 2 + folder % 2
            return using(slot) { $0.linkUnnamed($1, folders[folder], name) }
        case .close(let slot):
            guard let descriptor = slots[slot] else { return "no file" }
            platforms[slot % 2].close(descriptor)
            slots[slot] = nil
            return "closed"
        case .status(let slot):
            var status = stat()
            return using(slot) { $0.status($1, &status) } + text(status)
        case .statusOfName(let folder, let name, let followsLinks):
            var status = stat()
            let result = result(platforms[folder / 2].statusOfName(folders[folder], name, followsLinks, &status))
            return result + text(status)
        case .list(let folder): return list(folder)
        case .makeFolder(let name): return result(platforms[0].makeFolder("\(path)/\(name)"))
        case .changes(let folder): return changes(folder)
        default: return answerOfFile(to: call)
        }
    }

    private func answerOfFile(to call: DiskCall) -> String {
        switch call {
        case .read(let slot, let count, let offset):
            var bytes = [UInt8](repeating: 1, count: count)
            let result = bytes.withUnsafeMutableBytes { buffer in
                using(slot) { $0.read($1, buffer.baseAddress, count, offset) }
            }
            return result + " \(bytes.hashValue)"
        case .write(let slot, let count, let byte, let offset):
            let bytes = [UInt8](repeating: byte, count: max(1, count))
            return bytes.withUnsafeBytes { buffer in
                using(slot) { platform, descriptor in
                    buffer.baseAddress.map { platform.write(descriptor, $0, count, offset) } ?? -1
                }
            }
        case .resize(let slot, let size): return using(slot) { $0.resize($1, size) }
        case .reserve(let slot, let offset, let length): return using(slot) { $0.reserve($1, offset, length) }
        case .lock(let slot, let mode): return using(slot) { $0.lock($1, mode) }
        case .setModified(let slot, let seconds):
            var status = stat()
            let result = using(slot) { $0.setModified($1, seconds) + $0.status($1, &status) }
            return result + " \(status.st_mtim.tv_sec)"
        case .attribute(let slot, let name): return attributes(slot) { try $0.text(of: name) ?? "none" }
        case .setAttribute(let slot, let name, let text):
            return attributes(slot) {
                try $0.set(name, to: text)
                return "set"
            }
        case .addAttribute(let slot, let name, let text): return attributes(slot) { "\(try $0.add(name, text))" }
        case .removeAttribute(let slot, let name):
            return attributes(slot) {
                try $0.remove(name)
                return "removed"
            }
        default: return "unknown"
        }
    }

    /// All that can be seen below the folder, with the bytes of the files.
    func tree() -> [String] {
        [0, 1].flatMap { folder -> [String] in
            let platform = platforms[0]
            return names(folder).map { name -> String in
                let status = answer(to: .statusOfName(folder: folder, name: FilePath(name), followsLinks: false))
                let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
                let descriptor = platform.open(folders[folder], FilePath(name), flags, 0)
                guard descriptor >= 0 else { return "\(folder) \(name) \(status)" }
                defer { platform.close(descriptor) }
                var bytes = [UInt8](repeating: 0, count: 40_000)
                let count = bytes.withUnsafeMutableBytes { platform.read(descriptor, $0.baseAddress, $0.count, 0) }
                let attributes = ["user.one", "user.two", "user.three"].map { attribute in
                    (try? platform.attributes(descriptor).text(of: attribute)) ?? "none"
                }
                return "\(folder) \(name) \(status) \(count) \(bytes.hashValue) \(attributes)"
            }
        }
    }

    private func names(_ folder: Int) -> [String] {
        var names: [String] = []
        _ = platforms[folder / 2].list(folders[folder]) { name, _ in
            names.append(String(decoding: name, as: UTF8.self))
            return true
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private func list(_ folder: Int) -> String {
        var lines: [String] = []
        let status = platforms[folder / 2].list(folders[folder]) { name, type in
            lines.append("\(String(decoding: name, as: UTF8.self)):\(type)")
            return true
        }
        return result(status) + lines.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.joined(separator: " ")
    }

    /// The names that inotify(7) told, in their order.
    private func changes(_ folder: Int) -> String {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 8)
        defer { bytes.deallocate() }
        let count = platforms[folder / 2].readChanges(watches[folder], bytes)
        guard count >= 0 else { return result(count) }
        var (lines, offset) = ([String](), 0)
        while offset < count {
            let length = Int(bytes.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
            let mask = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
            let name = String(decoding: bytes[(offset + 16)..<(offset + 16 + length)].prefix { $0 != 0 }, as: UTF8.self)
            // A file without a name has a name that only the kernel knows.
            let line = "\(mask) \(name)"
            if !name.hasPrefix("#"), lines.last != line { lines.append(line) }
            offset += 16 + length
        }
        if lines.isEmpty { return "error \(EAGAIN)" }
        return lines.joined(separator: ", ")
    }

    /// Whether a file or a pipe with a reader is there. Leaves nothing open.
    func canBeWritten(_ name: FilePath, in folder: Int) -> Bool {
        let platform = platforms[folder / 2]
        let descriptor = platform.open(folders[folder], name, O_WRONLY | O_NONBLOCK | O_CLOEXEC, 0)
        if descriptor >= 0 { platform.close(descriptor) }
        return descriptor >= 0
    }

    private func opened(_ descriptor: CInt, _ slot: Int) -> String {
        guard descriptor >= 0 else { return result(descriptor) }
        _ = answer(to: .close(slot: slot))
        slots[slot] = descriptor
        return "opened"
    }

    private func using(_ slot: Int, _ body: (Platform, CInt) -> some SignedInteger) -> String {
        guard let descriptor = slots[slot] else { return "no file" }
        return result(body(platforms[slot % 2], descriptor))
    }

    private func attributes(_ slot: Int, _ body: (any FileAttributes) throws -> String) -> String {
        guard let descriptor = slots[slot] else { return "no file" }
        do { return try body(platforms[slot % 2].attributes(descriptor)) } catch { return "\(error)" }
    }

    private func result(_ value: some SignedInteger) -> String { value < 0 ? "error \(errno)" : "\(value) " }

    private func text(_ status: stat) -> String {
        let type = status.st_mode & S_IFMT
        return type == S_IFDIR ? " folder" : " \(type) \(status.st_nlink) links, \(status.st_size) bytes"
    }
}
