import PartialFiles
import Testing

@Suite struct DurableMarkTests {
    private static let text = "11111111-2222-3333-4444-555555555555"

    @Test(arguments: [
        "0 \(text)", "1 \(text)", "9223372036854775807 \(text)", "104857600 -",
    ])
    func aMarkIsParsedFromItsText(text: String) throws {
        #expect(try #require(DurableMark(text)).description == text)
    }

    @Test(arguments: [
        "", " ", "0", "0 ", " \(text)", "-1 \(text)", "+1 \(text)", "01 \(text)", "00 \(text)", "1  \(text)",
        "1 \(text) ", "1 \(text)\n", "9223372036854775808 \(text)", "99999999999999999999 \(text)", "1e3 \(text)",
        "0x10 \(text)", "1 --", "1 none", "1 \(text.dropLast())", "1 \(text)0", "1 \(text) 2",
        "1 11111111-2222-3333-4444-55555555555G", "1 11111111-2222-3333-4444-55555555555A",
        "1 111111112222-3333-4444-5555-55555555", "١ \(text)",
    ])
    func anInvalidMarkIsNil(text: String) {
        #expect(DurableMark(text) == nil)
    }

    @Test(arguments: [
        // (mark, size, same boot, trusted)
        (Int64(100), Int64(250), true, Int64(250)),
        (100, 250, false, 100),
        (100, 100, false, 100),
        (0, 250, false, 0),
        (100, 99, true, 0),
        (100, 99, false, 0),
        (0, 0, true, 0),
        (.max, 250, true, 0),
    ])
    func underAnotherBootOnlySyncedBytesAreTrusted(mark: Int64, size: Int64, isSame: Bool, trusted: Int64) {
        let boot = isSame ? RecordKeeping.boot : RecordKeeping.otherBoot
        #expect(DurableMark(offset: mark, boot: boot).trustedLength(of: size, under: RecordKeeping.boot) == trusted)
    }

    @Test func anUnknownBootIsNotTheSameAsAnotherUnknownOne() {
        #expect(DurableMark(offset: 5, boot: nil).trustedLength(of: 10, under: nil) == 5)
    }

    @Test func theKernelHasABootID() throws {
        let boot = try #require(BootID.current)
        #expect(BootID(boot.text) == boot)
        #expect(boot == BootID.current)
    }
}
