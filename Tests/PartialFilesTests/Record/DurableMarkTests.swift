import SpateHTTPResumption
import SpatePartialFiles
import Testing

@Suite struct DurableMarkTests {
    private static let text = "11111111-2222-3333-4444-555555555555"

    @Test(arguments: [
        "0 \(text)", "1 \(text)", "9223372036854775807 \(text)", "104857600 -",
        "0-0 -", "0-1 \(text)", "5-9 20-9223372036854775807 \(text)",
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
        "0-1 3 \(text)", "1 3-4 \(text)", "3-1 \(text)", "0-1, 3-4 \(text)",
    ])
    func anInvalidMarkIsNil(text: String) {
        #expect(DurableMark(text) == nil)
    }

    @Test(
        arguments: [
            // (mark, list, size, same boot, trusted)
            ("100", nil, Int64(250), true, "0-250"),
            ("100", nil, 250, false, "0-100"),
            ("100", nil, 100, false, "0-100"),
            ("0", nil, 250, false, "0-0"),
            ("100", nil, 99, true, "0-0"),
            ("100", nil, 99, false, "0-0"),
            ("0", nil, 0, true, "0-0"),
            ("\(Int64.max)", nil, 250, true, "0-0"),
            ("0-50 80-90", "0-60 70-95", 250, true, "0-60 70-95"),
            ("0-50 80-90", "0-60 85-95", 250, false, "0-50 85-90"),
            ("80-90", "70-95", 95, true, "70-95"),
            // The size says nothing of a file with a list.
            ("0-10", "0-20", 250, true, "0-20"),
            ("10", "0-20", 250, false, "0-10"),
            // Beyond the size, and beyond the total, which is 300.
            ("0-50 80-90", "0-60 70-95", 94, true, "0-50 80-90"),
            ("0-50 80-90", "0-301", 300, true, "0-50 80-90"),
            ("0-50 80-90", "0-60", 89, true, "0-0"),
            ("0-50 80-301", "0-400", 400, true, "0-0"),
            (nil, nil, 250, true, "0-0"),
            (nil, "0-4 8-10", 250, true, "0-0"),
            // Killed while gaps were allowed, or while their list was removed.
            ("3", "0-18", 18, true, "0-18"),
            // Without a front, and with a longer front.
            ("0-0", "8-10 14-18", 18, true, "8-10 14-18"),
            ("0-0", "0-10", 18, true, "0-10"),
            // As long as the whole, and longer.
            ("10", nil, 300, true, "0-300"),
            ("10", nil, 301, true, "0-0"),
            ("10", nil, 301, false, "0-0"),
            ("0-50 80-90", "0-60 70-95", 301, true, "0-0"),
            // A mark in the form of a list, without a list.
            ("0-50 80-90", nil, 250, true, "0-50 80-90"),
        ] as [(String?, String?, Int64, Bool, String)]
    )
    func whatIsTrusted(mark: String?, list: String?, size: Int64, isSame: Bool, trusted: String) {
        var record = ResumeRecord()
        (record.total, record.validator) = (300, .etag("\"v1\""))
        record[.durable] = mark.map { "\($0) \(Self.text)" }
        record[.filled] = list
        let boot = isSame ? RecordKeeping.boot : RecordKeeping.otherBoot
        #expect(record.trusted(of: size, under: boot).text == trusted)
    }

    @Test(arguments: [nil, "W/\"v1\"", "\"v1\""])
    func behindAGapNothingIsTrustedWithoutAProof(tag: String?) {
        var record = ResumeRecord()
        (record.durable, record.filled) = (DurableMark("0-0 \(Self.text)"), FilledRanges("0-60 70-95"))
        record[.validator] = tag
        // Without a total.
        #expect(record.trusted(of: 95, under: RecordKeeping.boot).text == "0-60")
        record.total = 95
        let all = record.trusted(of: 95, under: RecordKeeping.boot).text
        #expect(all == (tag == "\"v1\"" ? "0-60 70-95" : "0-60"))
    }

    @Test func anUnknownBootIsNotTheSameAsAnotherUnknownOne() {
        var record = ResumeRecord()
        record.durable = DurableMark("5 -")
        #expect(record.trusted(of: 10, under: nil).text == "0-5")
    }
}
