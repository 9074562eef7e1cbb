import SpateHTTPResumption
import SpateHTTPSyntax
import Testing

/// What a server says of its file beside its bytes, and what a page in its place means.
@Suite struct ResumedEntityTests {
    private static let sha256 = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
    private static let other = "AAAAQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
    private static let digest = StatedDigest(stored: "Repr-Digest sha-256 \(sha256)")
    private static func held(isPage: Bool = false) -> HeldBytes {
        HeldBytes(length: 5_096, total: 7_096, validator: entity, digest: digest, isPage: isPage)
    }

    private static func rest(_ more: (String, String)...) -> HTTPFields {
        var fields: HTTPFields = ["Content-Range": "bytes 1000-7095/7096", "ETag": tag]
        for (name, value) in more { fields.append(name: name, value: value) }
        return fields
    }

    private static let joined =
        ResumeDecision.part(at: 1_000, comparing: 4_096, length: 6_096, total: 7_096, digest: digest)
    private static let same = ("Repr-Digest", "sha-256=:\(sha256):")
    private static let otherOne = ("Repr-Digest", "sha-256=:\(other):")
    private static let ofMessage = ("Digest", "SHA-256=\(other)")
    private static let changed: HTTPFields = ["Content-Length": "9", "ETag": "\"b\""]

    static let digestRules = [
        ResumeRule("not repeated", held: held(), 206, rest(), means: joined),
        ResumeRule("repeated", held: held(), 206, rest(same), means: joined),
        ResumeRule("another value", held: held(), 206, rest(otherOne), means: .restart(.otherDigest)),
        ResumeRule(
            "another value again",
            held: held(),
            206,
            rest(otherOne),
            tried: [.restart(.otherDigest)],
            means: .fault(.repeatedRestart(.otherDigest))
        ),
        ResumeRule("a digest of the message", held: held(), 206, rest(ofMessage), means: joined),
        ResumeRule("stated for the first time", held: .some, 206, rest(same), means: joined),
        ResumeRule("another file", held: held(), 200, changed, means: .whole(9, validator: .etag("\"b\""))),
    ]

    @Test(arguments: digestRules) func aStatedDigestStaysAsLongAsTheStrongValidator(rule: ResumeRule) {
        #expect(rule.decision == rule.expected)
    }

    private static let page: HTTPFields = ["Content-Type": "Text/HTML; charset=utf-8", "Content-Length": "36"]
    private static let taggedPage: HTTPFields = ["Content-Type": "text/html", "Content-Length": "36", "ETag": tag]
    private static let unsizedPage: HTTPFields = ["Content-Type": "text/html"]
    private static let fullPage: HTTPFields = ["Content-Type": "text/html", "Content-Length": "7096"]
    private static let archive: HTTPFields = ["Content-Type": "application/zip", "Content-Length": "36"]
    private static let unsized = HeldBytes(length: 5_096, validator: entity)
    private static let accepting = ResponseLimits(acceptsPages: true)
    private static let accepted = ResumeDecision.whole(36, isPage: true)
    private static let taggedWhole = ResumeDecision.whole(36, validator: entity, isPage: true, refusesRanges: true)

    static let pageRules = [
        ResumeRule("a page", held: held(), 200, page, means: .fault(.pageInstead)),
        ResumeRule("of unknown length", held: held(), 200, unsizedPage, means: .fault(.pageInstead)),
        ResumeRule("a page, the total unknown", held: unsized, 200, page, means: .fault(.pageInstead)),
        ResumeRule("without a range", held: held(), request: .whole, 200, page, means: .fault(.pageInstead)),
        ResumeRule("with the held tag", held: held(), 200, taggedPage, means: taggedWhole),
        ResumeRule("of the known size", held: held(), 200, fullPage, means: .whole(7_096, isPage: true)),
        ResumeRule("in place of a page", held: held(isPage: true), 200, page, means: accepted),
        ResumeRule("where nothing is held", held: .none, 200, page, means: accepted),
        ResumeRule("where pages are accepted", held: held(), 200, page, limits: accepting, means: accepted),
        ResumeRule("not a page", held: held(), 200, archive, means: .whole(36)),
    ]

    @Test(arguments: pageRules) func aPageInPlaceOfAFileIsARefusal(rule: ResumeRule) {
        #expect(rule.decision == rule.expected)
    }

    @Test func aRefusalByAPageIsRetriedAndKeepsThePart() {
        let fault = ResponseFault(.pageInstead)
        #expect(fault.isRetryable && fault.keepsPartial && fault.trustsFraming)
    }

    @Test(
        arguments: [
            ("text/html", true), ("TEXT/HTML ;charset=x", true), ("application/xhtml+xml", true), ("text/plain", false),
            ("text/htmlx", false), ("text/html x", false), ("text/html\t;", true), ("text/htm", false), ("", false),
            (nil, nil),
        ] as [(String?, Bool?)]
    )
    func aPageIsKnownByItsType(type: String?, expected: Bool?) {
        var fields = HTTPFields()
        if let type { fields.append(name: "Content-Type", value: type) }
        #expect(ResponseHead(status: 200, fields: fields).isPage == expected)
    }
}
