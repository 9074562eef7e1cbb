import Foundation
import SpateExtendedAttributes
import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPResumption
import SpateLocking
import SpatePartialFiles
import SpateTestSupport
import Testing

/// A download directory, and what tests do to its files behind its back.
struct DownloadFolder {
    private let temporary: TemporaryFolder?
    private let mount: TemporaryMount?
    let path: String
    let keeping: RecordKeeping
    let directory: DownloadDirectory
    /// The claim of most tests.
    var claim: FileClaim { directory.claim(origin, .derived) }

    init(_ keeping: RecordKeeping = .attributes, _ change: (inout Platform) -> Void = { _ in }) throws {
        let folder = try TemporaryFolder()
        temporary = folder
        mount = nil
        self.keeping = keeping
        path = folder.path
        directory = DownloadDirectory(path: FilePath(path), platform: keeping.platform(change))
    }

    init(on mount: TemporaryMount) {
        temporary = nil
        self.mount = mount
        keeping = .attributes
        path = mount.path
        directory = DownloadDirectory(path: FilePath(path), platform: RecordKeeping.attributes.platform())
    }

    /// The same folder as another process sees it.
    func seen(
        _ keeping: RecordKeeping = .attributes,
        _ change: (inout Platform) -> Void = { _ in }
    ) -> DownloadDirectory {
        DownloadDirectory(path: FilePath(path), platform: keeping.platform(change))
    }

    func path(_ name: String) -> String { path + "/" + name }

    /// Everything in the folder, sorted.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }

    func write(_ content: String, to name: String) throws {
        try Data(content.utf8).write(to: URL(fileURLWithPath: path(name)))
    }

    func read(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: path(name))), as: UTF8.self)
    }

    /// Calls `body` with the attributes of a file.
    func withAttributes<Value>(of name: String, _ body: (ExtendedAttributes) throws -> Value) throws -> Value {
        let descriptor = try SystemCall.run { open(path(name), O_RDONLY | O_NOFOLLOW | O_CLOEXEC) }
        defer { close(descriptor) }
        return try body(ExtendedAttributes(descriptor: descriptor))
    }

    func attribute(_ field: RecordField, of name: String) throws -> String? {
        try withAttributes(of: name) { try $0.text(of: field.rawValue) }
    }

    /// Makes a file with attributes, as an earlier run or a forger would leave it.
    func leave(_ content: String, in name: String, _ fields: [RecordField: String]) throws {
        try write(content, to: name)
        try withAttributes(of: name) { attributes in
            for (field, text) in fields { try attributes.set(field.rawValue, to: text) }
        }
    }

    func kind(of name: String) -> mode_t? {
        var status = stat()
        return lstat(path(name), &status) == 0 ? status.st_mode & S_IFMT : nil
    }
}

/// Where records are kept. Many tests must hold for all.
enum RecordKeeping: CaseIterable, Sendable {
    case attributes
    /// In attributes, on a file system on which every file has a name from the start.
    case namedFiles
    /// As on a file system that has no attributes.
    case sidecar

    static let boot = BootID("11111111-2222-3333-4444-555555555555")
    static let otherBoot = BootID("99999999-2222-3333-4444-555555555555")

    func platform(_ change: (inout Platform) -> Void = { _ in }) -> Platform {
        var platform = Platform.native
        platform.boot = Self.boot
        switch self {
        case .attributes: break
        case .namedFiles: platform.openUnnamed = { _ in failing(EOPNOTSUPP) }
        case .sidecar: platform.attributes = { _ in NoAttributes() }
        }
        change(&platform)
        return platform
    }
}

extension Platform {
    mutating func countSyncs(in count: Locked<Int>) {
        sync = { [sync] descriptor in
            count.withLock { $0 += 1 }
            return sync(descriptor)
        }
    }

    /// Each change of an attribute is noted as its name's last part and its text.
    mutating func noteAttributes(in notes: Locked<[String]>) {
        attributes = { descriptor in
            CheckedAttributes(descriptor) { (name, text) throws(ErrorNumber) in
                notes.withLock { $0.append("\(name.split(separator: ".").last ?? "") \(text ?? "nil")") }
            }
        }
    }
}

extension Locked<[String]> {
    /// What was noted since the last time.
    func taken() -> [String] {
        withLock { notes in
            defer { notes = [] }
            return notes
        }
    }
}

/// What a call returns that fails with this error.
func failing<Result: SignedInteger>(_ code: CInt) -> Result {
    errno = code
    return -1
}

extension FileAttributes {
    /// In two steps, for attributes without such a call.
    func add(_ name: String, _ text: String) throws(ErrorNumber) -> Bool {
        guard try self.text(of: name) == nil else { return false }
        try set(name, to: text)
        return true
    }
}

/// The attributes of the file, but `check` sees each change first, and may refuse it.
struct CheckedAttributes: FileAttributes {
    private let real: ExtendedAttributes
    private let check: (_ name: String, _ text: String?) throws(ErrorNumber) -> Void

    init(
        _ descriptor: CInt,
        check: @escaping (_ name: String, _ text: String?) throws(ErrorNumber) -> Void
    ) {
        real = ExtendedAttributes(descriptor: descriptor)
        self.check = check
    }

    /// With no room for more than `limit` bytes in one attribute.
    init(_ descriptor: CInt, limit: Int) {
        self.init(descriptor) { (name, text) throws(ErrorNumber) in
            if text?.utf8.count ?? 0 > limit {
                throw ErrorNumber(code: ENOSPC)
            }
        }
    }

    func text(of name: String) throws(ErrorNumber) -> String? { try real.text(of: name) }

    func names() throws(ErrorNumber) -> [String] { try real.names() }

    func set(_ name: String, to text: String) throws(ErrorNumber) {
        try check(name, text)
        try real.set(name, to: text)
    }

    func remove(_ name: String) throws(ErrorNumber) {
        try check(name, nil)
        try real.remove(name)
    }
}

/// The attributes of a file system that has none.
struct NoAttributes: FileAttributes {
    func text(of name: String) throws(ErrorNumber) -> String? {
        throw ErrorNumber(code: ENOTSUP)
    }

    func names() throws(ErrorNumber) -> [String] {
        throw ErrorNumber(code: ENOTSUP)
    }

    func set(_ name: String, to text: String) throws(ErrorNumber) {
        throw ErrorNumber(code: ENOTSUP)
    }

    func remove(_ name: String) throws(ErrorNumber) {
        throw ErrorNumber(code: ENOTSUP)
    }
}
