import ExtendedAttributes
import Glibc
import HTTPResumption
import HTTPSyntax
import Locking
import PartialFiles
import TestSupport
import Testing

/// Where and how the record of a file is kept.
@Suite(.takesTurns) struct RecordKeepingTests {
    private static let origin = "http://host/x.zip"

    /// Attributes of which one cannot be set.
    private static func without(_ field: RecordField, _ descriptor: CInt, code: CInt) -> CheckedAttributes {
        CheckedAttributes(descriptor) { (name, text) throws(ExtendedAttributeError) in
            if name == field.rawValue, text != nil {
                throw ExtendedAttributeError(operation: .set, name: name, code: code)
            }
        }
    }

    @Test func theRecordCanBeReadWithGetfattr() throws {
        let folder = try DownloadFolder(.namedFiles)
        let file = try folder.directory.partial(of: try url("http://user:secret@host/x.zip?a=b#part"))
        try file.begin(total: 9, validator: .etag("\"v1\""), encoding: nil)
        let name = file.location.partialName
        #expect(try folder.attribute(.origin, of: name) == "http://host/x.zip?a=b")
        #expect(try folder.attribute(.total, of: name) == "9")
        #expect(try folder.attribute(.validator, of: name) == "\"v1\"")
        #expect(try folder.attribute(.encoding, of: name) == nil)
        #expect(try folder.attribute(.durable, of: name) == "0 11111111-2222-3333-4444-555555555555")
        #expect(try folder.names == ["x.zip.part"])
    }

    /// It may name a signed URL. The file has the permissions that the user gives to all.
    @Test func aSidecarIsForItsUserAlone() throws {
        let folder = try DownloadFolder(.sidecar)
        func permissions(of name: String) -> mode_t? {
            var status = stat()
            return stat(folder.path(name), &status) == 0 ? status.st_mode & 0o777 : nil
        }
        let file = try folder.directory.begun(try url(Self.origin), "12345", total: 5)
        #expect(permissions(of: ".x.zip.part.spate") == 0o600)
        try file.finish()
        #expect(permissions(of: ".x.zip.spate") == 0o600)
        try folder.write("", to: "other")
        #expect(permissions(of: "x.zip") == permissions(of: "other"))
    }

    @Test func withoutAttributesTheRecordIsInASidecar() throws {
        let folder = try DownloadFolder(.sidecar)
        let file = try folder.directory.partial(of: try url(Self.origin))
        try file.begin(total: 5, validator: .etag("\"v1\""), encoding: nil)
        try file.append("12345")
        #expect(try folder.names == [".x.zip.part.spate", "x.zip.part"])
        #expect(try file.finish() == folder.path("x.zip"))
        #expect(try folder.names == [".x.zip.spate", "x.zip"])
        #expect(try folder.read(".x.zip.spate").hasPrefix("user.xdg.origin.url=\(Self.origin)\nuser.spate.total=5\n"))
    }

    @Test func aValidatorThatDoesNotFitIsLeftOut() throws {
        let folder = try DownloadFolder(.namedFiles) { platform in
            platform.attributes = { CheckedAttributes($0, limit: 100) }
        }
        let origin = try url(Self.origin)
        let file = try folder.directory.partial(of: origin)
        try file.begin(total: 5, validator: .etag("\"v1\""), encoding: nil)
        #expect(file.held.validator == .etag("\"v1\""))
        try file.truncate(to: 0)
        try file.begin(total: 5, validator: .etag("\"" + String(repeating: "a", count: 500) + "\""), encoding: nil)
        #expect(file.held.validator == nil)
        // The old one must not stay, either.
        #expect(try folder.attribute(.validator, of: "x.zip.part") == nil)
        try file.append("12345")
        try file.finish()
        #expect(try folder.directory.finishedFile(of: origin, naming: .derived)?.size == 5)
    }

    @Test func anOriginThatDoesNotFitPutsTheRecordIntoASidecar() throws {
        let folder = try DownloadFolder(.namedFiles) { platform in
            platform.attributes = { CheckedAttributes($0, limit: 100) }
        }
        let origin = try url("http://host/x.zip?" + String(repeating: "a", count: 500))
        let file = try folder.directory.partial(of: origin)
        try file.begin(total: 5, validator: .etag("\"v1\""), encoding: nil)
        try file.append("123")
        #expect(try folder.names == [".x.zip.part.spate", "x.zip.part"])
        file.close()
        let again = try folder.directory.partial(of: origin)
        #expect(again.held == HeldBytes(length: 3, total: 5, validator: .etag("\"v1\"")))
        try again.append("45")
        try again.finish()
        #expect(try folder.directory.finishedFile(of: origin, naming: .derived)?.size == 5)
        try folder.directory.delete(origin, naming: .derived)
        #expect(try folder.names == [])
    }

    @Test(arguments: [ENOSPC, EOPNOTSUPP, EPERM])
    func aRecordThatMovesIntoASidecarLeavesNoAttributes(code: CInt) throws {
        let folder = try DownloadFolder { platform in
            platform.attributes = { Self.without(.total, $0, code: code) }
        }
        let origin = try url(Self.origin)
        try folder.directory.begun(origin, "123", total: 5).close()
        #expect(try folder.names == [".x.zip.part.spate", "x.zip.part"])
        #expect(try folder.directory.partial(of: origin).held == HeldBytes(length: 3, total: 5))
    }

    @Test func theLongestURLCanBeResumed() throws {
        let folder = try DownloadFolder(.namedFiles)
        let origin = try url("http://host/x.zip?" + String(repeating: "a", count: HTTPURL.maximumLength - 18))
        try folder.directory.begun(origin, "123").close()
        #expect(try folder.directory.partial(of: origin).held.length == 3)
    }

    @Test func onlyChangedAttributesAreWritten() throws {
        let calls = Locked<[String]>([])
        let folder = try DownloadFolder(.namedFiles) { platform in
            platform.attributes = { descriptor in
                CheckedAttributes(descriptor) { (name, text) throws(ExtendedAttributeError) in
                    calls.withLock { $0.append("\(text == nil ? "remove" : "set") \(name)") }
                }
            }
        }
        func expect(_ expected: [String], sourceLocation: SourceLocation = #_sourceLocation) {
            #expect(calls.withLock { $0 } == expected, sourceLocation: sourceLocation)
            calls.withLock { $0 = [] }
        }
        let origin = try url(Self.origin)
        let first = try folder.directory.partial(of: origin)
        expect(["set user.xdg.origin.url"])
        try first.begin(total: 9, validator: .etag("\"v1\""), encoding: nil)
        expect(["set user.spate.total", "set user.spate.durable", "set user.spate.validator"])
        try first.append("12345")
        first.close()

        let second = try folder.directory.partial(of: origin)
        try second.begin(total: 9, validator: .etag("\"v1\""), encoding: nil)
        try second.append("6789")
        try second.prepareToPublish(size: 9)
        expect([])
        _ = try second.publish(replacing: false)
        expect(["remove user.spate.durable"])
    }

    @Test func anAttributeThatCannotBeWrittenIsAnError() throws {
        let folder = try DownloadFolder { platform in
            platform.attributes = { Self.without(.validator, $0, code: EIO) }
        }
        let file = try folder.directory.partial(of: try url(Self.origin))
        let error = #expect(throws: FileSystemError.self) {
            try file.begin(total: 5, validator: .etag("\"v1\""), encoding: nil)
        }
        #expect(error?.operation == .record)
        #expect(error?.code == EIO)
    }
}
