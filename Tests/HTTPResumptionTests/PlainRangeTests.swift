import HTTPResumption
import Testing

/// The exception to 32: much is here, and the 200 names the very entity that is held.
@Suite struct PlainRangeTests {
    private static let same: HTTPFields = ["ETag": tag, "Content-Length": "3145728"]
    private static let plain = RangeRequest.tail(from: 2 * mebibyte, ifRange: nil)

    @Test func aServerThatDislikesIfRangeIsAskedWithoutIt() {
        let rule = ResumeRule(32, "", held: .much, 200, Self.same, means: .ask(Self.plain, .plainRange))
        #expect(rule.decision == rule.expected)
    }

    @Test(arguments: [
        ResumeRule(32, "asked before", held: .much, 200, same, tried: [.plainRange], means: .restart(.multipart)),
        ResumeRule(
            32,
            "plain ranges proved nothing before",
            held: .much,
            200,
            same,
            tried: [.restart(.unprovenEntity)],
            means: .restart(.multipart)
        ),
        ResumeRule(32, "asked plainly", held: .much, request: plain, 200, same, means: .restart(.multipart)),
        ResumeRule(32, "another tag", held: .much, 200, ["ETag": "\"b\""], means: .restart(.multipart)),
        ResumeRule(32, "a weak tag", held: .much, 200, ["ETag": "W/\"a\""], means: .restart(.multipart)),
        ResumeRule(32, "no tag", held: .much, 200, means: .restart(.multipart)),
        ResumeRule(
            32,
            "no ranges",
            held: .much,
            200,
            ["ETag": tag, "Accept-Ranges": "none"],
            means: .restart(.multipart)
        ),
        ResumeRule(
            32,
            "another size",
            held: .much,
            200,
            ["ETag": tag, "Content-Length": "9"],
            means: .restart(.multipart)
        ),
        ResumeRule(
            32,
            "encoded",
            held: .much,
            200,
            ["ETag": tag, "Content-Encoding": "br"],
            means: .restart(.multipart)
        ),
        ResumeRule(
            32,
            "little is here",
            held: HeldBytes(length: mebibyte - 1, validator: entity),
            200,
            ["ETag": tag],
            means: .restart(.multipart)
        ),
    ])
    func otherwiseThe200IsTaken(rule: ResumeRule) {
        guard case .write(let placement) = rule.decision else {
            Issue.record("\(rule.decision)")
            return
        }
        #expect(placement.startsOver && placement.offset == 0 && placement.comparing == 0)
    }

    @Test func thePartMustThenNameTheSameEntity() {
        let range: HTTPFields = ["Content-Range": "bytes 2097152-3145727/3145728"]
        var named = range
        named.append(name: "ETag", value: tag)
        let asked: [ResumeHistory.Step] = [.plainRange]
        let rules = [
            ResumeRule(
                20,
                "",
                held: .much,
                request: Self.plain,
                206,
                named,
                tried: asked,
                means: .part(at: 2 * mebibyte, length: mebibyte, total: 3 * mebibyte)
            ),
            ResumeRule(
                24,
                "",
                held: .much,
                request: Self.plain,
                206,
                range,
                tried: asked,
                means: .restart(.unprovenEntity)
            ),
        ]
        for rule in rules { #expect(rule.decision == rule.expected) }
    }

    @Test func itIsAskedOnceMoreWhenTheDownloadCameFurther() {
        var history = ResumeHistory()
        history.record(.plainRange)
        history.record(.lastByte)
        history.record(.originalURL)
        history.record(.overlap)
        history.record(.restart(.wrongStart))
        history.noteProgress()
        #expect(!history.contains(.plainRange) && !history.contains(.lastByte) && !history.contains(.originalURL))
        #expect(history.contains(.overlap) && history.contains(.restart(.wrongStart)))
        #expect(!history.contains(.restart(.otherTotal)))
    }
}
