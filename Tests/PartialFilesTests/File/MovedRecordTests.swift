import Foundation
import Glibc
import SpateExtendedAttributes
import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPResumption
import SpateHTTPSyntax
import SpateLocking
import SpatePartialFiles
import SpateTestSupport
import SpateTiming
import Testing

/// Records whose lists outgrow the attributes and move into a sidecar.
@Suite(.takesTurns) struct MovedRecordTests {
    private static let names = [".x.zip.part.spate", "x.zip.part"]

    private func write(_ count: Int64, in file: PartialFile) throws {
        for offset in stride(from: Int64(6), to: 6 + 2 * count, by: 2) { try file.write("x", at: offset) }
    }

    /// As many ranges as a record may have.
    private static let most: FilledRanges = {
        var ranges = FilledRanges(upTo: 1)
        for number in 1...Int64(FilledRanges.mostGaps) { ranges.insert((2 * number)..<(2 * number + 1)) }
        return ranges
    }()

    @Test(arguments: [RecordField.filled, .durable], [false, true])
    func aListWithoutRoomInTheAttributesMoves(field: RecordField, hasName: Bool) throws {
        let folder = try DownloadFolder { $0.attributes = { CheckedAttributes($0, withoutListIn: field) } }
        let file = try folder.directory.partial()
        try file.begin(total: 20, validator: .etag("\"v1\""), encoding: nil)
        if hasName { try file.append("abcd") }
        #expect(try file.allowGaps())
        // A file without a name has no mark yet.
        if field == .filled || hasName { #expect(try folder.names == Self.names) }
        try file.write("ij", at: 8)
        #expect(try folder.names == Self.names && folder.attribute(.origin, of: GappedFile.name) == "")
        #expect(try folder.withAttributes(of: GappedFile.name) { try $0.names() } == [RecordField.origin.rawValue])
        let filled = file.filled
        try file.sync()
        file.close()
        let later = folder.seen { $0.boot = RecordKeeping.otherBoot }
        #expect(try later.partial().filled == filled && filled.text == (hasName ? "0-4 8-10" : "8-10"))
    }

    /// Even if an attribute has room for it.
    @Test func aLongListMoves() throws {
        let values = Locked<[String: String]>([:])
        let folder = try DownloadFolder { $0.attributes = { _ in RoomyAttributes(values: values) } }
        let file = try folder.directory.begun("abcd", total: 100_000)
        #expect(try file.allowGaps())
        try write(300, in: file)
        #expect(try folder.names == ["x.zip.part"])
        try write(1_000, in: file)
        #expect(try folder.names == Self.names)
    }

    /// A reader, like one after a kill, finds the older or the newer list: also between two steps of the move.
    @Test func theRecordIsAlwaysThere() throws {
        let sizes = Locked<[Int64]>([])
        let isMoving = Locked(false)
        let watched = Locked<DownloadDirectory?>(nil)
        @Sendable func look() {
            guard isMoving.withLock({ $0 }), let directory = watched.withLock({ $0 }) else { return }
            let found = (try? directory.contents().map(\.size)) ?? []
            sizes.withLock { $0.append(found.count == 1 ? found[0] : -1) }
        }
        let folder = try DownloadFolder { platform in
            platform.attributes = { descriptor in
                CheckedAttributes(descriptor) { (name, text) throws(ErrorNumber) in
                    look()
                    if text?.utf8.count ?? 0 > 40 {
                        throw ErrorNumber(code: ENOSPC)
                    }
                }
            }
            platform.rename = { folder, from, to in
                look()
                defer { look() }
                return Platform.native.rename(folder, from, to)
            }
            platform.sync = { descriptor in
                look()
                return Platform.native.sync(descriptor)
            }
        }
        watched.withLock { $0 = folder.seen() }
        let file = try GappedFile.made(in: folder.directory)
        isMoving.withLock { $0 = true }
        while try folder.names.count == 1 { try file.write("x", at: file.filled.end + 1) }
        isMoving.withLock { $0 = false }
        let found = sizes.withLock { $0 }
        #expect(found.allSatisfy { (4...file.filled.count).contains($0) } && found == found.sorted())
        #expect(found.last == file.filled.count && Set(found).count > 2)
    }

    /// Killed after that, the next run finds it there. A power cut before the sync leaves the sidecar.
    @Test(arguments: [false, true])
    func theRecordOfAWholeFileReturns(isPublished: Bool) throws {
        let (folderPath, namesAtSync) = (Locked(""), Locked<[String]>([]))
        let folder = try DownloadFolder { platform in
            platform.attributes = { CheckedAttributes($0, limit: 40) }
            platform.sync = { descriptor in
                let path = folderPath.withLock { $0 }
                namesAtSync.withLock { $0 = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] }
                return Platform.native.sync(descriptor)
            }
        }
        folderPath.withLock { $0 = folder.path }
        let file = try GappedFile.made(in: folder.directory)
        try write(7, in: file)
        #expect(try folder.names == Self.names)
        try file.write(String(repeating: "y", count: 20), at: 0)
        try file.prepareToPublish(size: 20)
        #expect(namesAtSync.withLock { $0.sorted() } == Self.names)
        if isPublished {
            _ = try file.publish(replacing: .none)
            #expect(try folder.names == ["x.zip"])
            let fields = try RecordField.allCases.filter { try folder.attribute($0, of: "x.zip") != nil }
            #expect(try fields == [.origin, .total, .validator] && folder.directory.finishedFile()?.size == 20)
        } else {
            file.close()
            #expect(try folder.names == ["x.zip.part"])
            #expect(try folder.directory.partial().held == GappedFile.held(20, gapEnd: nil))
        }
    }

    @Test func anEmptiedSignatureIsNoOrigin() throws {
        let folder = try DownloadFolder { $0.attributes = { CheckedAttributes($0, limit: 40) } }
        let watching = folder.seen()
        #expect(try watching.deleteAll(of: [origin]) == [:])
        let file = try GappedFile.made(in: folder.directory)
        try write(7, in: file)
        file.close()
        #expect(try folder.names == Self.names)
        #expect(try watching.deleteAll(of: [origin]) == [:])
        #expect(try folder.names == [])
    }

    @Test(arguments: RecordKeeping.allCases)
    func asManyGapsAsPiecesAreKept(keeping: RecordKeeping) throws {
        let folder = try DownloadFolder(keeping)
        let total = Self.most.end + 1
        let content = TestBytes.random(count: Int(total))
        try folder.write("", to: "source")
        let source = try OpenFolder(path: FilePath(folder.path), on: .native).open("source", O_RDWR)
        try content.withUnsafeBytes { try source.write($0, at: 0) }
        do {
            let file = try folder.directory.partial()
            try file.begin(total: total, validator: .etag("\"v1\""), encoding: nil)
            #expect(try file.allowGaps())
            try file.take(Self.most, from: source)
            try file.sync()
        }
        let later = folder.seen(keeping) { $0.boot = RecordKeeping.otherBoot }
        let file = try later.partial()
        let isKept = file.filled == Self.most && file.durable == Self.most
        #expect(isKept)
        try file.take(FilledRanges(upTo: total), from: source)
        #expect(try file.matches(content, at: 0))
        try file.finish()
        #expect(try later.finishedFile()?.size == total)
        #expect(try folder.names == (keeping == .sidecar ? [".x.zip.spate"] : []) + ["source", "x.zip"])
        try later.delete()
        #expect(try folder.names == ["source"])
    }

    /// A list that takes long to write is written rarely.
    @Test func aSlowSidecarIsWrittenRarely() throws {
        let (now, writes) = (Locked(Duration.zero), Locked(0))
        let zero = ContinuousClock.now
        let folder = try DownloadFolder(.sidecar) { platform in
            platform.runtime = .native(clock: { now.withLock { zero + $0 } })
            platform.rename = { folder, from, to in
                writes.withLock { $0 += 1 }
                now.withLock { $0 += .seconds(2) }
                return Platform.native.rename(folder, from, to)
            }
        }
        let file = try GappedFile.made(in: folder.directory)
        writes.withLock { $0 = 0 }
        for offset in Int64(6)..<20 {
            try file.write("x", at: offset)
            now.withLock { $0 += .seconds(6) }
        }
        // One each 20 seconds, after 2 seconds of writing.
        #expect(writes.withLock { $0 } == 4)
    }
}

/// The attributes of one file, without a limit.
private struct RoomyAttributes: FileAttributes {
    let values: Locked<[String: String]>

    func text(of name: String) -> String? { values.withLock { $0[name] } }

    func names() -> [String] { values.withLock { Array($0.keys) } }

    func set(_ name: String, to text: String) { values.withLock { $0[name] = text } }

    func remove(_ name: String) { values.withLock { $0[name] = nil } }
}

extension CheckedAttributes {
    /// With no room for a list in one field.
    init(_ descriptor: CInt, withoutListIn field: RecordField) {
        self.init(descriptor) { (name, text) throws(ErrorNumber) in
            if name == field.rawValue, text?.hasPrefix("0-") ?? false {
                throw ErrorNumber(code: ENOSPC)
            }
        }
    }
}

extension Platform {
    /// As on a full disk, which has room for bytes only in reserved blocks.
    mutating func refuseSidecars() {
        open = { [open] folder, name, flags, mode in
            flags & O_CREAT != 0 && name.text.hasSuffix(".spate.tmp")
                ? failing(ENOSPC) : open(folder, name, flags, mode)
        }
    }
}
