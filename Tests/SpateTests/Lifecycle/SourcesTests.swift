import SpateHTTPResumption
import SpateHTTPSyntax
import Testing

@testable import Spate

/// Which source is asked next, and whether it goes on with what is there: rule 103 of ResumptionRules.md.
@Suite struct SourcesTests {
    /// How the present source failed.
    enum Failure: Sendable {
        /// It may be asked again in ten seconds, and leaves this.
        case retryable(FailedAttempt.Part?)
        case final(FailedAttempt.Part?)
        /// It cannot show that it has the file of which there is a part.
        case cannotJoin(FailedAttempt.Part?)
        /// As `final`, and there is a finished file.
        case besideFinishedFile
    }

    /// The source that follows.
    enum Next: Equatable, Sendable {
        case origin(isAtOnce: Bool)
        case mirror(beginsAnew: Bool)
        case none
    }

    /// A Metalink that comes later may prove what its mirrors, or earlier ones, send.
    @Test(arguments: [[], ["http://other/f"]]) func whatIsVerifiedLaterHoldsForAllMirrors(others: [String]) throws {
        var known = KnownSources()
        known.add(mirrors: [try HTTPURL("http://mirror/f")], isVerified: false, isNamed: false)
        for isVerified in [true, false] {
            known.add(mirrors: try others.map { try HTTPURL($0) }, isVerified: isVerified, isNamed: false)
            #expect(known.list?.isVerified == true)
        }
    }

    private static func sources(isNamed: Bool, isVerified: Bool) throws -> Sources {
        var sources = Sources()
        sources.add([try HTTPURL("http://mirror/f")], isNamed: isNamed)
        sources.isVerified = isVerified
        return sources
    }

    private static func next(after failure: Failure, _ sources: inout Sources) -> Next {
        let now = ContinuousClock.now
        func failed(_ part: FailedAttempt.Part?, wait: Duration?, staysAtOrigin: Bool = false) {
            var end = FailedAttempt(reached: 0, ResumeHistory())
            (end.part, end.staysAtOrigin) = (part, staysAtOrigin)
            sources.failed(end, Tries(), retryAfter: wait, now: now)
        }
        switch failure {
        case .retryable(let part): failed(part, wait: .seconds(10))
        case .final(let part): failed(part, wait: nil)
        case .besideFinishedFile: failed(.nothing, wait: nil, staysAtOrigin: true)
        case .cannotJoin(let part):
            var end = FailedAttempt(reached: 0, ResumeHistory())
            end.part = part
            sources.failedToJoin(end)
        }
        guard let wait = sources.moveOn(now: now) else { return .none }
        return sources.current == 0 ? .origin(isAtOnce: wait == .zero) : .mirror(beginsAnew: sources.beginsAnew)
    }

    @Test(
        arguments: [
            // Where nothing is there, a mirror begins.
            ([.retryable(.nothing)], [.mirror(beginsAnew: false)]),
            ([.final(.nothing)], [.mirror(beginsAnew: false)]),
            // The origin's own retry comes before what it has sent is given up.
            ([.retryable(.fixed)], [.origin(isAtOnce: false)]),
            ([.retryable(.joinable), .cannotJoin(nil)], [.mirror(beginsAnew: false), .origin(isAtOnce: false)]),
            ([.retryable(.joinable), .cannotJoin(.joinable)], [.mirror(beginsAnew: false), .origin(isAtOnce: false)]),
            // When it has failed for good, a mirror begins anew, unless it can go on.
            ([.final(.fixed)], [.mirror(beginsAnew: true)]),
            ([.final(.joinable), .cannotJoin(nil)], [.mirror(beginsAnew: false), .mirror(beginsAnew: true)]),
            ([.final(.fixed), .final(nil)], [.mirror(beginsAnew: true), .none]),
            // What the URL sends contradicts the part, whoever began it: it is not asked for that again.
            (
                [.cannotJoin(.joinable), .cannotJoin(nil), .final(nil)],
                [.mirror(beginsAnew: false), .mirror(beginsAnew: true), .none]
            ),
            // A mirror goes on with what it has begun itself.
            ([.final(.nothing), .retryable(.fixed)], [.mirror(beginsAnew: false), .mirror(beginsAnew: false)]),
            // A finished file is not replaced.
            ([.besideFinishedFile], [.none]),
        ] as [([Failure], [Next])]
    )
    func aMirrorGoesOnOrBeginsBesideWhatIsThere(failures: [Failure], expected: [Next]) throws {
        var sources = try Self.sources(isNamed: true, isVerified: false)
        #expect(failures.map { Self.next(after: $0, &sources) } == expected)
    }

    @Test(
        arguments: [
            ([.final(.nothing)], false, [.mirror(beginsAnew: false)]),
            ([.final(.joinable), .cannotJoin(nil)], false, [.mirror(beginsAnew: false), .none]),
            ([.final(.fixed)], false, [.none]),
            ([.final(.fixed)], true, [.mirror(beginsAnew: true)]),
        ] as [([Failure], Bool, [Next])]
    )
    func aPlaceThatAServerNamesBeginsAnewOnlyUnderAChecksum(
        failures: [Failure],
        isVerified: Bool,
        expected: [Next]
    ) throws {
        var sources = try Self.sources(isNamed: false, isVerified: isVerified)
        #expect(failures.map { Self.next(after: $0, &sources) } == expected)
    }

    @Test func aPlaceThatTheUserNamesAfterAServerIsTheUsers() throws {
        var sources = try Self.sources(isNamed: false, isVerified: false)
        sources.add([try HTTPURL("http://mirror/f")], isNamed: true)
        #expect(Self.next(after: .final(.fixed), &sources) == .mirror(beginsAnew: true))
    }
}
