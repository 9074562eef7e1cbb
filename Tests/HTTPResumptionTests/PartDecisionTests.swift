import SpateHTTPResumption
import SpateHTTPSyntax
import Testing

/// What responses to a request for the bytes 5096 to 6095 of 7096 lead to. It begins 4 KiB before them.
@Suite struct PartDecisionTests {
    private static func decision(
        _ status: Int,
        _ range: String?,
        _ fields: HTTPFields = ["ETag": tag],
        held: HeldBytes = HeldBytes(length: 0, total: 7_096, validator: entity),
        limits: ResponseLimits = ResponseLimits(),
        isRedirected: Bool = false
    ) -> PartDecision {
        var fields = fields
        if let range { fields.append(name: "Content-Range", value: "bytes \(range)") }
        return .decide(
            range: 5_096..<6_096,
            held: held,
            head: ResponseHead(status: status, fields: fields),
            limits: limits,
            isRedirected: isRedirected,
            now: 784_111_777
        )
    }

    private static func end(_ decision: PartDecision) -> Int64? {
        if case .write(let body) = decision, !body.startsOver, body.comparing == 4_096 { body.end } else { nil }
    }

    private static let part = "1000-6095/7096"
    private static let dated = HeldBytes(length: 0, total: 7_096, validator: HTTPResumptionTests.dated)

    @Test func s11APartThatIsProvenIsWritten() {
        #expect(Self.end(Self.decision(206, Self.part)) == 6_096)
        #expect(Self.end(Self.decision(206, "1000-5499/7096")) == 5_500)
        #expect(Self.end(Self.decision(206, Self.part, ["Last-Modified": date], held: Self.dated)) == 6_096)
    }

    /// None, an invalid one, a wrong start, what is compared and no more, beyond the end, unsatisfied.
    @Test(arguments: [nil, "1000-", "999-6095/7096", "1000-5095/7096", "1000-6096/7096", "*/7096"])
    func s11AnotherPartIsAFailure(range: String?) {
        #expect(Self.decision(206, range) == .fail)
    }

    @Test(
        arguments: [
            ["ETag": tag, "Content-Range": "bytes \(part)"], ["ETag": tag, "Content-Length": "9"],
        ] as [HTTPFields]
    )
    func s11S13WhatContradictsItselfIsAFailure(fields: HTTPFields) {
        #expect(Self.decision(206, Self.part, fields) == .fail)
    }

    @Test func s11S15WhatIsNotProvenToBeOfThisFileEndsHelp() {
        #expect(Self.decision(206, Self.part, [:]) == .giveUp)
        #expect(Self.decision(206, Self.part, ["ETag": "\"b\""]) == .giveUp)
        #expect(Self.decision(206, Self.part, ["ETag": "W/\(tag)"]) == .giveUp)
        #expect(Self.decision(206, Self.part, ["ETag": tag, "Content-Encoding": "gzip"]) == .giveUp)
        #expect(Self.decision(206, "1000-6095/7097") == .giveUp)
        #expect(Self.decision(206, "1000-6095/*") == .giveUp)
    }

    @Test(arguments: [200, 203, 412])
    func s12TheWholeEndsHelp(status: Int) {
        #expect(Self.decision(status, nil) == .giveUp)
    }

    @Test(arguments: [416, 403, 404, 410, 401, 400, 500, 502, 204, 304])
    func s13ARefusalIsAFailure(status: Int) {
        #expect(Self.decision(status, nil) == .fail)
    }

    @Test(arguments: [429, 503])
    func s14BusyServersSayForHowLong(status: Int) {
        #expect(Self.decision(status, nil, ["Retry-After": "7"]) == .busy(retryAfter: 7))
        #expect(Self.decision(status, nil, [:]) == .busy(retryAfter: nil))
    }

    @Test(arguments: [401, 403, 404, 410])
    func s17ARedirectedRequestGoesToTheOriginalURLOnce(status: Int) {
        #expect(Self.decision(status, nil, isRedirected: true) == .askOrigin)
    }
}
