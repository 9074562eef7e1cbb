import ExtendedAttributes
import Glibc
import HTTPResumption
import PartialFiles
import TestSupport
import Testing

/// A file that was made a moment ago, and who else may have had it since: somebody who looked in between found it
/// blank, and was the first to lock it.
@Suite struct SigningTests {
    private static let origin = "http://host/x.zip"

    enum Fate: CaseIterable {
        case published, deleted
    }

    /// Does to the file of `folder` what somebody does who locks it first.
    private static func meet(_ fate: Fate, in folder: DownloadFolder) {
        let path = folder.path("x.zip.part")
        _ = fate == .deleted ? unlink(path) : rename(path, folder.path("published"))
    }

    @Test(arguments: Fate.allCases)
    func whatSomebodyElseSignedFirstIsLeftAlone(fate: Fate) throws {
        let folder = try DownloadFolder()
        let other = folder.seen { platform in
            platform.attributes = { asked in
                let attributes = ExtendedAttributes(descriptor: asked)
                try? attributes.set(RecordField.origin.rawValue, to: "http://other/x.zip")
                Self.meet(fate, in: folder)
                return attributes
            }
        }
        let place = try folder.directory.place(of: try url(Self.origin))
        let error = #expect(throws: FileSystemError.self) { try other.open(place) }
        #expect(error?.kind == .changed)
        if fate == .published {
            #expect(try folder.attribute(.origin, of: "published") == "http://other/x.zip")
        }
    }

    @Test(arguments: Fate.allCases)
    func withoutAttributesAFileThatLostItsNameIsLeftAlone(fate: Fate) throws {
        let folder = try DownloadFolder(.sidecar)
        let other = folder.seen(.sidecar) { platform in
            platform.attributes = { _ in
                Self.meet(fate, in: folder)
                return NoAttributes()
            }
        }
        let place = try folder.directory.place(of: try url(Self.origin))
        let error = #expect(throws: FileSystemError.self) { try other.open(place) }
        #expect(error?.kind == .changed)
        #expect(try folder.names == (fate == .published ? ["published"] : []))
    }

    /// Else its maker, whose own URL may well fit, would take it for untouched.
    @Test func aBlankFileIsSignedThoughTheRecordHasToGoIntoASidecar() throws {
        let folder = try DownloadFolder()
        try folder.write("", to: "x.zip.part")
        let long = try url("http://host/x.zip?" + String(repeating: "a", count: 5_000))
        let other = folder.seen { platform in platform.attributes = { RoomForOnly(descriptor: $0, bytes: 1_000) } }
        let file = try other.partial(of: long)
        #expect(try folder.names == [".x.zip.part.spate", "x.zip.part"])
        let isAdded = try folder.withAttributes(of: "x.zip.part") { attributes in
            try attributes.add(RecordField.origin.rawValue, Self.origin)
        }
        #expect(!isAdded)
        // It is no record for all that.
        try file.begin(total: 5, validator: nil, encoding: nil)
        try file.append("123")
        file.close()
        #expect(try other.partial(of: long).held.length == 3)
    }

    @Test func aPartialFileIsFoundThoughMakingItIsTriedFirst() throws {
        let folder = try DownloadFolder()
        let origin = try url(Self.origin)
        let boot = "11111111-2222-3333-4444-555555555555"
        let fields = [RecordField.origin: Self.origin, .total: "9", .durable: "0 \(boot)"]
        try folder.leave("123", in: "x.zip.part", fields)
        let file = try folder.directory.partial(of: origin)
        #expect(file.found == HeldBytes(length: 3, total: 9))
        file.close()
        // Of two the one with the plain name, as ever.
        let second = "x.zip.\(URLHash(origin).digits8).part"
        try folder.leave("12345", in: second, fields)
        #expect(try folder.directory.partial(of: origin).place.partialName == "x.zip.part")
        #expect(unlink(folder.path("x.zip.part")) == 0)
        #expect(try folder.directory.partial(of: origin).place.partialName == second)
    }

    @Test func nothingIsMadeUnderANameThatIsTakenInThisProcess() throws {
        let folder = try DownloadFolder()
        let origin = try url(Self.origin)
        let opening = try folder.directory.open(for: origin, naming: .derived) { $0 == "x.zip" }
        guard case .partial(let file) = opening else { throw UnexpectedPlacement(what: "\(opening)") }
        #expect(file.place.finalName == "x-\(URLHash(origin).digits8).zip")
        #expect(try folder.names == [file.place.partialName])
    }
}

/// Attributes of at most so many bytes each.
private struct RoomForOnly: FileAttributes {
    let descriptor: CInt
    let bytes: Int
    private var real: ExtendedAttributes { ExtendedAttributes(descriptor: descriptor) }

    func text(of name: String) throws(ExtendedAttributeError) -> String? { try real.text(of: name) }

    func set(_ name: String, to text: String) throws(ExtendedAttributeError) {
        if text.utf8.count > bytes { throw ExtendedAttributeError(operation: .set, name: name, code: ENOSPC) }
        try real.set(name, to: text)
    }

    func remove(_ name: String) throws(ExtendedAttributeError) { try real.remove(name) }
}
