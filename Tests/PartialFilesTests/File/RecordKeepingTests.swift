import ExtendedAttributes
import Glibc
import HTTPResumption
import Locking
import PartialFiles
import TestSupport
import Testing

/// Where and how the record of a file is kept: lines 75 to 77 of the rules.
@Suite struct RecordKeepingTests {
    private static let origin = "http://host/x.zip"

    @Test func theRecordCanBeReadWithGetfattr() throws {
        let folder = try DownloadFolder()
        let file = try folder.directory.partial(of: try url("http://user:secret@host/x.zip?a=b#part"))
        try file.begin(total: 9, validator: .etag("\"v1\""), encoding: nil)
        let name = file.place.partialName
        #expect(try folder.attribute(.origin, of: name) == "http://host/x.zip?a=b")
        #expect(try folder.attribute(.total, of: name) == "9")
        #expect(try folder.attribute(.validator, of: name) == "\"v1\"")
        #expect(try folder.attribute(.encoding, of: name) == nil)
        #expect(try folder.attribute(.durable, of: name) == "0 11111111-2222-3333-4444-555555555555")
        #expect(try folder.names == ["x.zip.part"])
    }

    /// Line 75.
    @Test func withoutAttributesTheRecordIsInASidecar() throws {
        let folder = try DownloadFolder(.sidecar)
        let file = try folder.directory.partial(of: try url(Self.origin))
        try file.begin(total: 5, validator: .etag("\"v1\""), encoding: nil)
        try file.append("12345")
        #expect(try folder.names == [".x.zip.part.spate", "x.zip.part"])
        try file.prepareToPublish(size: 5)
        #expect(try file.publish(replacing: false) == folder.path("x.zip"))
        #expect(try folder.names == [".x.zip.spate", "x.zip"])
        #expect(try folder.read(".x.zip.spate").hasPrefix("user.xdg.origin.url=\(Self.origin)\nuser.spate.total=5\n"))
    }

    /// Line 76.
    @Test func aValidatorThatDoesNotFitIsLeftOutAndTheDownloadGoesOn() throws {
        let folder = try DownloadFolder { platform in platform.attributes = { SmallAttributes(descriptor: $0) } }
        let origin = try url(Self.origin)
        let file = try folder.directory.partial(of: origin)
        try file.begin(total: 5, validator: .etag("\"v1\""), encoding: nil)
        #expect(try file.held.validator == .etag("\"v1\""))
        try file.truncate(to: 0)
        try file.begin(total: 5, validator: .etag("\"" + String(repeating: "a", count: 500) + "\""), encoding: nil)
        #expect(try file.held.validator == nil)
        // Not the old one in its place, either.
        #expect(try folder.attribute(.validator, of: "x.zip.part") == nil)
        try file.append("12345")
        try file.prepareToPublish(size: 5)
        _ = try file.publish(replacing: false)
        #expect(try folder.directory.finishedFile(of: origin, naming: .derived)?.size == 5)
    }

    @Test func anOriginThatDoesNotFitGoesIntoASidecarWithAllTheRest() throws {
        let folder = try DownloadFolder { platform in platform.attributes = { SmallAttributes(descriptor: $0) } }
        let origin = try url("http://host/x.zip?" + String(repeating: "a", count: 500))
        let file = try folder.directory.partial(of: origin)
        try file.begin(total: 5, validator: .etag("\"v1\""), encoding: nil)
        try file.append("123")
        #expect(try folder.names == [".x.zip.part.spate", "x.zip.part"])
        file.close()
        let again = try folder.directory.partial(of: origin)
        #expect(try again.held == HeldBytes(length: 3, total: 5, validator: .etag("\"v1\"")))
        try again.append("45")
        try again.prepareToPublish(size: 5)
        _ = try again.publish(replacing: false)
        #expect(try folder.directory.finishedFile(of: origin, naming: .derived)?.size == 5)
        try folder.directory.delete(origin, naming: .derived)
        #expect(try folder.names == [])
    }

    @Test(arguments: [ENOSPC, EOPNOTSUPP, EPERM])
    func whatGotInBeforeTheSidecarWasNeededIsTakenOutAgain(code: CInt) throws {
        let folder = try DownloadFolder { platform in
            platform.attributes = { StubbornAttributes(descriptor: $0, field: .total, code: code) }
        }
        let origin = try url(Self.origin)
        let file = try folder.directory.partial(of: origin)
        #expect(try folder.names == ["x.zip.part"])
        try file.begin(total: 5, validator: nil, encoding: nil)
        try file.append("123")
        file.close()
        #expect(try folder.names == [".x.zip.part.spate", "x.zip.part"])
        #expect(try folder.directory.partial(of: origin).held == HeldBytes(length: 3, total: 5))
    }

    @Test func theLongestURLThatThereIsCanBeResumed() throws {
        let folder = try DownloadFolder()
        let origin = try url("http://host/x.zip?" + String(repeating: "a", count: HTTPURL.maximumLength - 18))
        let file = try folder.directory.partial(of: origin)
        try file.begin(total: 5, validator: nil, encoding: nil)
        try file.append("123")
        file.close()
        #expect(try folder.directory.partial(of: origin).held.length == 3)
    }

    @Test func nothingIsWrittenThatIsKnownAlready() throws {
        let calls = CountedCalls()
        let folder = try DownloadFolder { platform in platform.attributes = { CountedAttributes($0, calls) } }
        let origin = try url(Self.origin)
        let first = try folder.directory.partial(of: origin)
        #expect(calls.take() == ["set user.xdg.origin.url"])
        try first.begin(total: 9, validator: .etag("\"v1\""), encoding: nil)
        #expect(calls.take() == ["set user.spate.total", "set user.spate.durable", "set user.spate.validator"])
        try first.append("12345")
        first.close()

        let second = try folder.directory.partial(of: origin)
        _ = calls.take()
        try second.begin(total: 9, validator: .etag("\"v1\""), encoding: nil)
        #expect(calls.take() == [])
        try second.append("6789")
        try second.prepareToPublish(size: 9)
        #expect(calls.take() == [])
        _ = try second.publish(replacing: false)
        #expect(calls.take() == ["remove user.spate.durable"])
    }

    @Test func anAttributeThatTheDiskFailsAtIsAnError() throws {
        let folder = try DownloadFolder { platform in
            platform.attributes = { StubbornAttributes(descriptor: $0, field: .validator, code: EIO) }
        }
        let file = try folder.directory.partial(of: try url(Self.origin))
        let error = #expect(throws: FileSystemError.self) {
            try file.begin(total: 5, validator: .etag("\"v1\""), encoding: nil)
        }
        #expect(error?.operation == .record)
        #expect(error?.code == EIO)
    }
}

/// Attributes of at most a hundred bytes each.
private struct SmallAttributes: FileAttributes {
    let descriptor: CInt
    private var real: ExtendedAttributes { ExtendedAttributes(descriptor: descriptor) }

    func text(of name: String) throws(ExtendedAttributeError) -> String? { try real.text(of: name) }

    func set(_ name: String, to text: String) throws(ExtendedAttributeError) {
        if text.utf8.count > 100 { throw ExtendedAttributeError(operation: .set, name: name, code: ENOSPC) }
        try real.set(name, to: text)
    }

    func remove(_ name: String) throws(ExtendedAttributeError) { try real.remove(name) }
}

/// Attributes of which one cannot be set.
private struct StubbornAttributes: FileAttributes {
    let descriptor: CInt
    let field: RecordField
    let code: CInt
    private var real: ExtendedAttributes { ExtendedAttributes(descriptor: descriptor) }

    func text(of name: String) throws(ExtendedAttributeError) -> String? { try real.text(of: name) }

    func set(_ name: String, to text: String) throws(ExtendedAttributeError) {
        if name == field.rawValue { throw ExtendedAttributeError(operation: .set, name: name, code: code) }
        try real.set(name, to: text)
    }

    func remove(_ name: String) throws(ExtendedAttributeError) { try real.remove(name) }
}

private final class CountedCalls: Sendable {
    private let calls = Locked<[String]>([])

    func add(_ call: String) { calls.withLock { $0.append(call) } }

    func take() -> [String] {
        calls.withLock { calls in
            defer { calls = [] }
            return calls
        }
    }
}

/// The real attributes, with every change noted down.
private struct CountedAttributes: FileAttributes {
    private let real: ExtendedAttributes
    private let calls: CountedCalls

    init(_ descriptor: CInt, _ calls: CountedCalls) {
        real = ExtendedAttributes(descriptor: descriptor)
        self.calls = calls
    }

    func text(of name: String) throws(ExtendedAttributeError) -> String? { try real.text(of: name) }

    func set(_ name: String, to text: String) throws(ExtendedAttributeError) {
        calls.add("set \(name)")
        try real.set(name, to: text)
    }

    func remove(_ name: String) throws(ExtendedAttributeError) {
        calls.add("remove \(name)")
        try real.remove(name)
    }
}
