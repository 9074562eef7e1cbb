import SpateHTTPResumption
import SpateHTTPSyntax
import Testing

@Suite struct ErrorResponseTests {
    @Test(arguments: rules)
    func anErrorIsNeverWrittenToTheFile(rule: ResumeRule) {
        #expect(rule.decision == rule.expected)
    }

    private static let again = RangeRequest.tail(from: 1_000, ifRange: entity)
    private static let partLike: HTTPFields = ["Content-Range": "bytes 1000-2999/3000", "ETag": tag]
    private static let dateLater = "Sun, 06 Nov 1994 08:50:37 GMT"

    static let rules = [
        ResumeRule("204", held: .none, 204, means: .fault(.unexpectedStatus(204))),
        ResumeRule("205", held: .none, 205, means: .fault(.unexpectedStatus(205))),
        ResumeRule("304 to a range request", 304, ["ETag": tag], means: .restart(.notModified)),
        ResumeRule("304 again", 304, tried: [.restart(.notModified)], means: .fault(.repeatedRestart(.notModified))),
        ResumeRule("304 to the whole", held: .none, 304, means: .fault(.unexpectedStatus(304))),
        ResumeRule("400 to a range request", 400, means: .ask(.whole, .withoutRange)),
        ResumeRule("405 to a range request", 405, means: .ask(.whole, .withoutRange)),
        ResumeRule("407 to a range request", 407, means: .fault(.status(407))),
        ResumeRule("400 without a range", request: .whole, 400, means: .fault(.status(400))),
        ResumeRule("400 again", 400, tried: [.withoutRange], means: .fault(.status(400))),
        ResumeRule("202", held: .none, 202, ["Content-Length": "5"], means: .fault(.unexpectedStatus(202))),
        ResumeRule("101", held: .none, 101, means: .fault(.unexpectedStatus(101))),
        ResumeRule("a redirect", 302, ["Location": "/"], means: .fault(.unexpectedStatus(302))),
        ResumeRule("no status", 0, means: .fault(.unexpectedStatus(0))),
        ResumeRule("an invalid status", 600, means: .fault(.unexpectedStatus(600))),
        ResumeRule("404", held: .none, 404, ["Content-Length": "5", "ETag": tag], means: .fault(.status(404))),
        ResumeRule("404 on resume", 404, partLike, means: .fault(.status(404))),
        ResumeRule("503 on resume", 503, partLike, means: .fault(.status(503))),
        ResumeRule("412", 412, means: .restart(.preconditionFailed)),
        ResumeRule("412 without a condition", held: .none, 412, means: .fault(.status(412))),
        ResumeRule("403 after a redirect", 403, hop: 1, means: .ask(again, .originalURL)),
        ResumeRule("410 after redirects", 410, hop: 3, means: .ask(again, .originalURL)),
        ResumeRule("401 after a redirect", 401, hop: 1, means: .ask(again, .originalURL)),
        ResumeRule("403 again", 403, tried: [.originalURL], hop: 1, means: .fault(.status(403))),
        ResumeRule("403 from the original URL", 403, means: .fault(.status(403))),
        ResumeRule("403 with no bytes held", held: .none, 403, hop: 1, means: .fault(.status(403))),
        ResumeRule("Retry-After", 503, ["Retry-After": "7"], means: .fault(.status(503), retryAfter: 7)),
        ResumeRule("with a date", 429, ["Retry-After": dateLater], means: .fault(.status(429), retryAfter: 60)),
        ResumeRule(
            "with a date, which counts from the response's own",
            429,
            ["Retry-After": dateLater, "Date": "Sun, 06 Nov 1994 08:50:30 GMT"],
            means: .fault(.status(429), retryAfter: 7)
        ),
        ResumeRule("clamped", 429, ["Retry-After": "999999"], means: .fault(.status(429), retryAfter: 86_400)),
        ResumeRule(
            "clamped to the caller's limit",
            429,
            ["Retry-After": "61"],
            limits: ResponseLimits(longestWait: 60),
            means: .fault(.status(429), retryAfter: 60)
        ),
        ResumeRule("an invalid Retry-After", 503, ["Retry-After": "soon"], means: .fault(.status(503))),
        ResumeRule("404 with Retry-After", 404, ["Retry-After": "7"], means: .fault(.status(404))),
    ]

    @Test(arguments: [
        (400, false), (401, false), (403, false), (404, false), (408, true), (410, false), (412, false), (416, false),
        (425, true), (429, true), (451, false), (500, true), (501, true), (502, true), (503, true), (504, true),
        (599, true),
    ])
    func temporaryErrorsAreRetried(status: Int, isRetryable: Bool) {
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
    func aFaultSaysWhetherToRetryAndToKeepThePartial(reason: ResponseFault.Reason, isRetryable: Bool, keeps: Bool) {
        let fault = ResponseFault(reason)
        #expect(fault.isRetryable == isRetryable && fault.keepsPartial == keeps)
        #expect(!fault.description.isEmpty)
    }

    @Test func theServersTextIsPrintedWithoutControlCharacters() {
        #expect(!ResponseFault(.invalidLength("5\u{1B}[2J")).description.contains("\u{1B}"))
    }
}
