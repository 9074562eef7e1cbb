import CSpateSystem
import Glibc
import SpateExtendedAttributes
import SpateTestSupport
import Testing

/// The file system of the temporary folder must support extended attributes.
@Suite final class ExtendedAttributesTests {
    private let folder: TemporaryFolder
    private let descriptor: CInt
    private let attributes: ExtendedAttributes

    init() throws {
        folder = try TemporaryFolder()
        let path = folder.path("file")
        descriptor = try SystemCall.run { open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }
        attributes = ExtendedAttributes(descriptor: descriptor)
    }

    deinit {
        close(descriptor)
    }

    @Test func aMissingAttributeIsNil() throws {
        #expect(try attributes.text(of: "user.spate.none") == nil)
        #expect(try attributes.names().filter { $0.hasPrefix("user.") } == [])
    }

    @Test(arguments: [0, 1, 15, 16, 1_023, 1_024, 1_025, 3_000])
    func aValueOfAnySizeIsReadBack(count: Int) throws {
        let value = String(decoding: (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) & 0x7F }, as: UTF8.self)
        try attributes.set("user.spate.test", to: value)
        #expect(try attributes.text(of: "user.spate.test") == value)
    }

    @Test func textIsReplacedAndReadBack() throws {
        try attributes.set("user.spate.test", to: "\"v1\"")
        try attributes.set("user.spate.test", to: "größer als zuvor")
        #expect(try attributes.text(of: "user.spate.test") == "größer als zuvor")
    }

    @Test func addingSetsOnlyAMissingAttribute() throws {
        #expect(try attributes.add("user.spate.test", "first") == true)
        #expect(try attributes.add("user.spate.test", "second") == false)
        #expect(try attributes.text(of: "user.spate.test") == "first")
        try attributes.set("user.spate.test", to: "")
        #expect(try attributes.add("user.spate.test", "second") == false)
    }

    @Test func bytesThatAreNotUTF8AreNotText() throws {
        #expect(fsetxattr(descriptor, "user.spate.test", [UInt8(0x41), 0xFF], 2, 0) == 0)
        #expect(try attributes.text(of: "user.spate.test") == nil)
        #expect(try attributes.names().contains("user.spate.test"))
    }

    @Test func removingTwiceIsNoError() throws {
        try attributes.set("user.spate.test", to: "1")
        try attributes.remove("user.spate.test")
        try attributes.remove("user.spate.test")
        #expect(try attributes.text(of: "user.spate.test") == nil)
    }

    @Test func allNamesAreListedHoweverMany() throws {
        let names = (0..<40).map { "user.spate.a.rather.long.attribute.name.\($0)" }
        for name in names { try attributes.set(name, to: "") }
        #expect(Set(try attributes.names()).isSuperset(of: names))
    }

    @Test func aValueLargerThanTheSystemAllowsDoesNotFit() throws {
        let large = String(repeating: "a", count: 70_000)
        let set = #expect(throws: ErrorNumber.self) { try self.attributes.set("user.spate.test", to: large) }
        let add = #expect(throws: ErrorNumber.self) { try self.attributes.add("user.spate.test", large) }
        #expect([set?.attributeFailure, add?.attributeFailure] == [.doesNotFit, .doesNotFit])
    }

    @Test func aFileSystemWithoutAttributesSaysSo() throws {
        let status = try SystemCall.run { open("/proc/self/status", O_RDONLY | O_CLOEXEC) }
        defer { close(status) }
        let error = #expect(throws: ErrorNumber.self) {
            try ExtendedAttributes(descriptor: status).text(of: "user.spate.test")
        }
        #expect(error?.attributeFailure == .unsupported)
    }

    @Test func aClosedDescriptorIsAnError() {
        let error = #expect(throws: ErrorNumber.self) {
            try ExtendedAttributes(descriptor: -1).text(of: "user.spate.test")
        }
        #expect(error?.code == EBADF)
    }
}
