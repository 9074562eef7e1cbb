import SpateHTTPResumption
import SpateHTTPSyntax
import Testing

/// One row of a table: a response, and the decision that it must lead to.
struct ResumeRule: Sendable, CustomTestStringConvertible {
    let claim: String
    let expected: ResumeDecision
    let decision: ResumeDecision

    init(
        _ claim: String,
        held: HeldBytes = .some,
        request: RangeRequest? = nil,
        _ status: Int,
        _ fields: HTTPFields = [:],
        isMessageFramed: Bool = false,
        tried: [ResumeHistory.Step] = [],
        limits: ResponseLimits = ResponseLimits(),
        hop: Int = 0,
        means expected: ResumeDecision
    ) {
        self.claim = claim
        self.expected = expected
        var history = ResumeHistory()
        for step in tried { history.record(step) }
        decision = .decide(
            held: held,
            request: request ?? .first(for: held, history: history),
            head: ResponseHead(status: status, fields: fields, isMessageFramed: isMessageFramed),
            history: history,
            limits: limits,
            hop: hop,
            now: 784_111_777
        )
    }

    var testDescription: String { claim }
}

let tag = "\"a\""
let entity = EntityValidator.etag(tag)
/// What `tag` is worth if the file may have changed within the second in which it was served.
let weak = EntityValidator.weakTag("W/\"a\"")
let date = "Sun, 06 Nov 1994 08:49:37 GMT"
let later = "Sun, 06 Nov 1994 08:49:38 GMT"
let dated = EntityValidator.lastModified(date)
let mebibyte: Int64 = 1_048_576

extension HeldBytes {
    static let some = HeldBytes(length: 5_096, total: 7_096, validator: entity)
    static let all = HeldBytes(length: 1_000, total: 1_000, validator: entity)
    static let much = HeldBytes(length: 2 * mebibyte, total: 3 * mebibyte, validator: entity)
    static let unproven = HeldBytes(length: 100_000, total: 300_000)
    static let weak = HeldBytes(length: 100_000, total: 300_000, validator: HTTPResumptionTests.weak)
    static let dated = HeldBytes(length: 5_096, total: 7_096, validator: HTTPResumptionTests.dated)
    static let unknownTotal = HeldBytes(length: 5_096, validator: entity)
}

extension ResumeDecision {
    static func whole(
        _ total: Int64?,
        isAnnounced: Bool = true,
        validator: EntityValidator? = nil,
        encoding: String? = nil,
        digest: StatedDigest? = nil,
        isPage: Bool = false,
        isLengthVerifiable: Bool = true,
        refusesRanges: Bool = false
    ) -> ResumeDecision {
        .write(
            AcceptedBody(
                offset: 0,
                startsOver: true,
                total: total,
                bodyLength: isAnnounced ? total : nil,
                validator: validator,
                encoding: encoding,
                digest: digest,
                isPage: isPage,
                isLengthVerifiable: isLengthVerifiable,
                refusesRanges: refusesRanges
            )
        )
    }

    static func part(
        at offset: Int64,
        comparing: Int64 = 0,
        length: Int64,
        total: Int64?,
        validator: EntityValidator? = entity,
        encoding: String? = nil,
        digest: StatedDigest? = nil,
        keepsGaps: Bool = true,
        isJoined: Bool = false
    ) -> ResumeDecision {
        .write(
            AcceptedBody(
                offset: offset,
                comparing: comparing,
                startsOver: false,
                total: total,
                bodyLength: length,
                validator: validator,
                encoding: encoding,
                digest: digest,
                keepsGaps: keepsGaps,
                isJoined: isJoined,
                isLengthVerifiable: true
            )
        )
    }

    static func fault(_ reason: ResponseFault.Reason, retryAfter: Int64? = nil) -> ResumeDecision {
        .fail(ResponseFault(reason, retryAfter: retryAfter))
    }
}

extension ResponseLimits {
    static func expecting(_ bytes: Int64) -> ResponseLimits { ResponseLimits(expectedBytes: bytes) }
    static func atMost(_ bytes: Int64) -> ResponseLimits { ResponseLimits(maximumBytes: bytes) }
}
