import Foundation
import TestSupport
import Testing

/// The examples of RFC 7541, appendix C.
struct HeaderDecoderTests {
    private func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = hexadecimal.filter { !$0.isWhitespace }.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    private func text(_ fields: [(name: String, value: String)]) -> [String] {
        fields.map { "\($0.name): \($0.value)" }
    }

    private static let common = [":method: GET", ":scheme: http", ":path: /", ":authority: www.example.com"]
    private static let expected = [
        common,
        common + ["cache-control: no-cache"],
        [
            ":method: GET", ":scheme: https", ":path: /index.html", ":authority: www.example.com",
            "custom-key: custom-value",
        ],
    ]

    @Test(arguments: [
        [
            "828684410f7777772e6578616d706c652e636f6d", "828684be58086e6f2d6361636865",
            "828785bf400a637573746f6d2d6b65790c637573746f6d2d76616c7565",
        ],
        [
            "828684418cf1e3c2e5f23a6ba0ab90f4ff", "828684be5886a8eb10649cbf",
            "828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf",
        ],
    ])
    func theRequestsOfOneConnectionAreRead(blocks: [String]) throws {
        var decoder = HeaderDecoder()
        for (block, fields) in zip(blocks, Self.expected) {
            #expect(text(try decoder.decode(bytes(block))) == fields)
        }
    }

    @Test func fieldsThatNobodyRemembersAreRead() throws {
        var decoder = HeaderDecoder()
        #expect(text(try decoder.decode(bytes("040c2f73616d706c652f70617468"))) == [":path: /sample/path"])
        let secret = "100870617373776f726406736563726574"
        #expect(text(try decoder.decode(bytes(secret))) == ["password: secret"])
        #expect(throws: HeaderDecoder.Malformed.self) { _ = try decoder.decode(bytes("be")) }
    }

    @Test func aSmallerTableForgetsTheOldest() throws {
        var decoder = HeaderDecoder()
        _ = try decoder.decode(bytes("828684410f7777772e6578616d706c652e636f6d"))
        // A limit of 0, and then the field that was remembered.
        #expect(throws: HeaderDecoder.Malformed.self) { _ = try decoder.decode(bytes("20be")) }
    }

    @Test(arguments: ["", "80", "ff", "c1", "41", "410f77", "4181", "7fffffffffffffff01", "418100", "4184ffffffff"])
    func whatIsMalformedIsRefused(block: String) {
        var decoder = HeaderDecoder()
        if block.isEmpty {
            #expect(throws: Never.self) { _ = try decoder.decode([]) }
        } else {
            #expect(throws: HeaderDecoder.Malformed.self) { _ = try decoder.decode(bytes(block)) }
        }
    }
}
