import Glibc
import SpateExtendedAttributes
import SpateFileSystemCalls
import SpateHTTPResumption
import SpateHTTPSyntax
import SpateLocking
import SpatePartialFiles
import SpateTestSupport
import Testing

/// Where and how the record of a file is kept.
@Suite(.takesTurns) struct RecordKeepingTests {
    /// A folder in which one attribute cannot be set.
    private func folder(without field: RecordField, code: CInt) throws -> DownloadFolder {
        try DownloadFolder { platform in
            platform.attributes = { descriptor in
                CheckedAttributes(descriptor) { (name, text) throws(ErrorNumber) in
                    if name == field.rawValue, text != nil {
                        throw ErrorNumber(code: code)
                    }
                }
            }
        }
    }

    /// It may name a signed URL. The file has the permissions that the user gives to all.
    @Test func aSidecarIsForItsUserAlone() throws {
        let folder = try DownloadFolder(.sidecar)
        func permissions(of name: String) -> mode_t? {
            var status = stat()
            return stat(folder.path(name), &status) == 0 ? status.st_mode & 0o777 : nil
        }
        let file = try folder.directory.begun("12345", total: 5)
        #expect(permissions(of: ".x.zip.part.spate") == 0o600)
        try file.finish()
        #expect(permissions(of: ".x.zip.spate") == 0o600)
        try folder.write("", to: "other")
        #expect(permissions(of: "x.zip") == permissions(of: "other"))
    }

    @Test func withoutAttributesTheRecordIsInASidecar() throws {
        let folder = try DownloadFolder(.sidecar)
        let file = try folder.directory.begun("12345", total: 5)
        #expect(try folder.names == [".x.zip.part.spate", "x.zip.part"])
        #expect(try file.finish() == folder.path("x.zip"))
        #expect(try folder.names == [".x.zip.spate", "x.zip"])
        #expect(try folder.read(".x.zip.spate").hasPrefix("user.xdg.origin.url=\(origin.text)\nuser.spate.total=5\n"))
    }

    /// Whatever moment a run is killed in, the next one must not send there what is meant for others. A repair begins
    /// the file before it has a response.
    @Test(arguments: RecordKeeping.allCases)
    func whoeverSeesAFileSeesThatADocumentChoseIt(keeping: RecordKeeping) throws {
        let folder = try DownloadFolder(keeping)
        func listed() throws -> [Bool] { try folder.seen(keeping).contents().map(\.isOfDocument) }
        for isOfDocument in [true, false, true] {
            let opening = try folder.directory.open(
                folder.claim,
                isOfDocument: isOfDocument
            )
            let file = try opening.partial
            #expect(try listed().allSatisfy { $0 == isOfDocument })
            try file.begin(total: 9, validator: nil, encoding: nil)
            try file.append("1")
            #expect(file.keep())
            #expect(try listed() == [isOfDocument])
            file.close()
        }
        #expect(try folder.directory.begun("12345", total: 5).finish() == folder.path("x.zip"))
        #expect(try listed() == [false])
    }

    /// The origin makes it a record. Without the note, it would be the record of a URL that the user typed.
    @Test func theNoteOfADocumentComesBeforeTheOrigin() throws {
        let notes = Locked<[String]>([])
        let folder = try DownloadFolder(.namedFiles) { $0.noteAttributes(in: notes) }
        _ = try folder.directory.open(folder.claim, isOfDocument: true)
        #expect(notes.taken() == ["document yes", "url \(origin.text)"])
    }

    /// On a full disk, some file systems cannot remove an attribute, either. A reader would believe the old value, or
    /// attributes that have not all moved into the sidecar.
    @Test(arguments: [RecordField.validator, .total])
    func aDiskThatKeepsTheOldAttributesIsAnError(field: RecordField) throws {
        let isFull = Locked(false)
        let folder = try DownloadFolder(.namedFiles) { platform in
            platform.attributes = { descriptor in
                CheckedAttributes(descriptor) { (name, text) throws(ErrorNumber) in
                    guard isFull.withLock({ $0 }), [field, .origin].map(\.rawValue).contains(name) else { return }
                    throw ErrorNumber(code: EDQUOT)
                }
            }
        }
        let file = try folder.directory.partial()
        try file.begin(total: 5, validator: .etag("\"v1\""), encoding: nil)
        isFull.withLock { $0 = true }
        let error = failure { try file.begin(total: 6, validator: .etag("\"v2\""), encoding: nil) }
        #expect(error?.code == EDQUOT)
    }

    @Test func aValidatorThatDoesNotFitIsLeftOut() throws {
        let folder = try DownloadFolder(.namedFiles) { $0.attributes = { CheckedAttributes($0, limit: 100) } }
        let file = try folder.directory.partial()
        try file.begin(total: 5, validator: .etag("\"v1\""), encoding: nil)
        #expect(file.held.validator == .etag("\"v1\""))
        try file.truncate(to: 0)
        try file.begin(total: 5, validator: .etag("\"" + String(repeating: "a", count: 500) + "\""), encoding: nil)
        #expect(file.held.validator == nil)
        // The old one must not stay, either.
        #expect(try folder.attribute(.validator, of: "x.zip.part") == nil)
        try file.append("12345")
        try file.finish()
        #expect(try folder.directory.finishedFile()?.size == 5)
    }

    @Test func anOriginThatDoesNotFitPutsTheRecordIntoASidecar() throws {
        let folder = try DownloadFolder(.namedFiles) { $0.attributes = { CheckedAttributes($0, limit: 100) } }
        let origin = try url("http://host/x.zip?" + String(repeating: "a", count: HTTPURL.maximumLength - 18))
        let claim = folder.directory.claim(origin, .derived)
        let file = try folder.directory.partial(of: origin)
        try file.begin(total: 5, validator: .etag("\"v1\""), encoding: nil)
        try file.append("123")
        #expect(try folder.names == [".x.zip.part.spate", "x.zip.part"])
        file.close()
        let again = try folder.directory.partial(of: origin)
        #expect(again.held == HeldBytes(length: 3, total: 5, validator: .etag("\"v1\"")))
        try again.append("45")
        try again.finish()
        #expect(try folder.directory.finishedFile(claim)?.size == 5)
        try folder.directory.delete(claim)
        #expect(try folder.names == [])
    }

    @Test(arguments: [ENOSPC, EOPNOTSUPP, EPERM])
    func aRecordThatMovesIntoASidecarLeavesNoAttributes(code: CInt) throws {
        let folder = try folder(without: .total, code: code)
        try folder.directory.begun("123", total: 5).close()
        #expect(try folder.names == [".x.zip.part.spate", "x.zip.part"])
        #expect(try folder.directory.partial().held == HeldBytes(length: 3, total: 5))
    }

    @Test func onlyChangedAttributesAreWritten() throws {
        let calls = Locked<[String]>([])
        let folder = try DownloadFolder(.namedFiles) { $0.noteAttributes(in: calls) }
        let secret = try url("http://user:secret@host/x.zip?a=b#part")
        let first = try folder.directory.partial(of: secret)
        #expect(calls.taken() == ["url http://host/x.zip?a=b"])
        try first.begin(total: 9, validator: .etag("\"v1\""), encoding: nil)
        #expect(calls.taken() == ["total 9", "durable 0 \(GappedFile.boot)", "validator \"v1\""])
        #expect(try folder.attribute(.total, of: "x.zip.part") == "9")
        try first.append("12345")
        first.close()

        let second = try folder.directory.partial(of: secret)
        try second.begin(total: 9, validator: .etag("\"v1\""), encoding: nil)
        try second.append("6789")
        try second.prepareToPublish(size: 9)
        #expect(calls.taken() == [])
        _ = try second.publish(replacing: .none)
        #expect(calls.taken() == ["durable nil"])
    }

    @Test func anAttributeThatCannotBeWrittenIsAnError() throws {
        let file = try folder(without: .validator, code: EIO).directory.partial()
        let error = failure { try file.begin(total: 5, validator: .etag("\"v1\""), encoding: nil) }
        #expect(error?.operation == .record && error?.code == EIO)
    }
}
