import HTTPResumption
import Testing

@Suite struct ErrorResponseTests {
    @Test(arguments: rules)
    func anErrorIsNeverTakenForTheFile(rule: ResumeRule) {
        #expect(rule.decision == rule.expected)
    }

    private static let again = RangeRequest.tail(from: 1_000, ifRange: entity)

    static let rules = [
        ResumeRule(16, "204", held: .none, 204, means: .fault(.unexpectedStatus(204))),
        ResumeRule(16, "205", held: .none, 205, means: .fault(.unexpectedStatus(205))),
        ResumeRule(16, "304", 304, ["ETag": tag], means: .fault(.unexpectedStatus(304))),
        ResumeRule(16, "202", held: .none, 202, ["Content-Length": "5"], means: .fault(.unexpectedStatus(202))),
        ResumeRule(16, "101", held: .none, 101, means: .fault(.unexpectedStatus(101))),
        ResumeRule(16, "a redirect", 302, ["Location": "/"], means: .fault(.unexpectedStatus(302))),
        ResumeRule(16, "no status at all", 0, means: .fault(.unexpectedStatus(0))),
        ResumeRule(16, "beyond all statuses", 600, means: .fault(.unexpectedStatus(600))),
        ResumeRule(
            38,
            "an error page",
            held: .none,
            404,
            ["Content-Length": "5", "ETag": tag],
            means: .fault(.status(404))
        ),
        ResumeRule(45, "412", 412, means: .restart(.preconditionFailed)),
        ResumeRule(
            45,
            "412 again",
            412,
            tried: [.restart(.preconditionFailed)],
            means: .fault(.repeatedRestart(.preconditionFailed))
        ),
        ResumeRule(45, "412 to no condition", held: .none, 412, means: .fault(.status(412))),
        ResumeRule(
            47,
            "404 on resume",
            404,
            ["Content-Range": "bytes 1000-2999/3000", "ETag": tag],
            means: .fault(.status(404))
        ),
        ResumeRule(
            47,
            "503 on resume",
            503,
            ["Content-Range": "bytes 1000-2999/3000", "ETag": tag],
            means: .fault(.status(503))
        ),
        ResumeRule(57, "403 behind a redirect", 403, hop: 1, means: .ask(again, .originalURL)),
        ResumeRule(57, "410 behind a redirect", 410, hop: 3, means: .ask(again, .originalURL)),
        ResumeRule(57, "401 behind a redirect", 401, hop: 1, means: .ask(again, .originalURL)),
        ResumeRule(57, "403 again", 403, tried: [.originalURL], hop: 1, means: .fault(.status(403))),
        ResumeRule(57, "403 of the original URL", 403, means: .fault(.status(403))),
        ResumeRule(57, "403 where nothing is held", held: .none, 403, hop: 1, means: .fault(.status(403))),
        ResumeRule(85, "503 with seconds", 503, ["Retry-After": "7"], means: .fault(.status(503), retryAfter: 7)),
        ResumeRule(
            85,
            "429 with a date",
            429,
            ["Retry-After": "Sun, 06 Nov 1994 08:50:37 GMT"],
            means: .fault(.status(429), retryAfter: 60)
        ),
        ResumeRule(
            85,
            "absurd",
            429,
            ["Retry-After": "99999999999999999999"],
            means: .fault(.status(429), retryAfter: 86_400)
        ),
        ResumeRule(
            85,
            "more than the caller's patience",
            429,
            ["Retry-After": "61"],
            limits: ResponseLimits(longestWait: 60),
            means: .fault(.status(429), retryAfter: 60)
        ),
        ResumeRule(85, "negative", 503, ["Retry-After": "-7"], means: .fault(.status(503), retryAfter: 0)),
        ResumeRule(85, "nonsense", 503, ["Retry-After": "soon"], means: .fault(.status(503))),
        ResumeRule(86, "500", held: .none, 500, means: .fault(.status(500))),
        ResumeRule(86, "404 with Retry-After", 404, ["Retry-After": "7"], means: .fault(.status(404))),
    ]

    @Test(arguments: [
        (400, false), (401, false), (403, false), (404, false), (408, true), (410, false), (412, false), (416, false),
        (425, true), (429, true), (451, false), (500, true), (501, true), (502, true), (503, true), (504, true),
        (599, true),
    ])
    func someStatusesAreWorthAnotherTry(status: Int, isRetryable: Bool) {
        let fault = ResponseFault(.status(status))
        #expect(fault.isRetryable == isRetryable)
        #expect(fault.keepsPartial)
    }

    @Test(
        arguments: [
            (.unexpectedStatus(204), false, true), (.conflictingLengths, false, false),
            (.invalidLength("x"), false, true),
            (.rangeLengthMismatch(contentLength: 1, rangeLength: 2), true, true),
            (.otherSize(expected: 1, actual: 2), false, true), (.tooLarge(maximum: 1, actual: 2), false, true),
            (.repeatedRestart(.multipart), false, true),
        ] as [(ResponseFault.Reason, Bool, Bool)]
    )
    func aFaultTellsWhetherToTryAgainAndWhatIsKept(reason: ResponseFault.Reason, isRetryable: Bool, keeps: Bool) {
        let fault = ResponseFault(reason)
        #expect(fault.isRetryable == isRetryable && fault.keepsPartial == keeps)
        #expect(!fault.description.isEmpty)
    }

    @Test func aLengthFromTheServerIsPrintedWithoutItsControlCharacters() {
        #expect(!ResponseFault(.invalidLength("5\u{1B}[2J")).description.contains("\u{1B}"))
    }
}
