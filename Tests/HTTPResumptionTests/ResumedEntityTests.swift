import HTTPResumption
import HTTPSyntax
import Testing

/// What a server says of its file beside its bytes, and what a page in its place means.
@Suite struct ResumedEntityTests {
    private static let sha256 = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
    private static let other = "AAAAQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
    private static let digest = StatedDigest(stored: "Repr-Digest sha-256 \(sha256)")
    private static let rest: HTTPFields = ["Content-Range": "bytes 1000-7095/7096"]

    private static func held(_ validator: EntityValidator? = entity, isPage: Bool = false) -> HeldBytes {
        HeldBytes(length: 5_096, total: 7_096, validator: validator, digest: digest, isPage: isPage)
    }

    private static func fields(_ fields: HTTPFields, _ more: (String, String)...) -> HTTPFields {
        var fields = fields
        for (name, value) in more { fields.append(name: name, value: value) }
        return fields
    }

    private static func joined(_ digest: StatedDigest?) -> ResumeDecision {
        .part(at: 1_000, comparing: 4_096, length: 6_096, total: 7_096, digest: digest)
    }

    static let digestRules = [
        ResumeRule("not repeated", held: held(), 206, fields(rest, ("ETag", tag)), means: joined(digest)),
        ResumeRule(
            "repeated",
            held: held(),
            206,
            fields(rest, ("ETag", tag), ("Repr-Digest", "sha-256=:\(sha256):")),
            means: joined(digest)
        ),
        ResumeRule(
            "another value",
            held: held(),
            206,
            fields(rest, ("ETag", tag), ("Repr-Digest", "sha-256=:\(other):")),
            means: .restart(.otherDigest)
        ),
        ResumeRule(
            "another value again",
            held: held(),
            206,
            fields(rest, ("ETag", tag), ("Repr-Digest", "sha-256=:\(other):")),
            tried: [.restart(.otherDigest)],
            means: .fault(.repeatedRestart(.otherDigest))
        ),
        ResumeRule(
            "a digest of the message",
            held: held(),
            206,
            fields(rest, ("ETag", tag), ("Digest", "SHA-256=\(other)")),
            means: joined(digest)
        ),
        ResumeRule(
            "stated for the first time",
            held: .some,
            206,
            fields(rest, ("ETag", tag), ("Repr-Digest", "sha-256=:\(sha256):")),
            means: joined(digest)
        ),
        ResumeRule(
            "another file",
            held: held(),
            200,
            ["Content-Length": "9", "ETag": "\"b\""],
            means: .whole(9, validator: .etag("\"b\""))
        ),
    ]

    @Test(arguments: digestRules) func aStatedDigestStaysAsLongAsTheStrongValidator(rule: ResumeRule) {
        #expect(rule.decision == rule.expected)
    }

    private static let page: HTTPFields = ["Content-Type": "Text/HTML; charset=utf-8", "Content-Length": "36"]
    private static let unsized = HeldBytes(length: 5_096, validator: entity)

    static let pageRules = [
        ResumeRule("a page", held: held(), 200, page, means: .fault(.pageInstead)),
        ResumeRule("of unknown length", held: held(), 200, ["Content-Type": "text/html"], means: .fault(.pageInstead)),
        ResumeRule("a page, the total unknown", held: unsized, 200, page, means: .fault(.pageInstead)),
        ResumeRule(
            "to a request without a range",
            held: held(),
            request: .whole,
            200,
            page,
            means: .fault(.pageInstead)
        ),
        ResumeRule(
            "with the held tag",
            held: held(),
            200,
            fields(page, ("ETag", tag)),
            means: .whole(36, validator: entity, isPage: true, refusesRanges: true)
        ),
        ResumeRule(
            "of the known size",
            held: held(),
            200,
            ["Content-Type": "text/html", "Content-Length": "7096"],
            means: .whole(7_096, isPage: true)
        ),
        ResumeRule("in place of a page", held: held(isPage: true), 200, page, means: .whole(36, isPage: true)),
        ResumeRule("where nothing is held", held: .none, 200, page, means: .whole(36, isPage: true)),
        ResumeRule(
            "where pages are accepted",
            held: held(),
            200,
            page,
            limits: ResponseLimits(acceptsPages: true),
            means: .whole(36, isPage: true)
        ),
        ResumeRule(
            "not a page",
            held: held(),
            200,
            ["Content-Type": "application/zip", "Content-Length": "36"],
            means: .whole(36)
        ),
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
            ("text/htmlx", false), ("", false), (nil, nil),
        ] as [(String?, Bool?)]
    )
    func aPageIsKnownByItsType(type: String?, expected: Bool?) {
        var fields = HTTPFields()
        if let type { fields.append(name: "Content-Type", value: type) }
        #expect(ResponseHead(status: 200, fields: fields).isPage == expected)
    }
}
