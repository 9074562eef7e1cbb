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
        var sources = try Self.sources(isNamed: false, isVerified: false)
        for isVerified in [true, false] {
            sources.add(mirrors: try others.map { try HTTPURL($0) }, isVerified: isVerified, isNamed: false)
            #expect(sources.isVerified)
        }
    }

    private static func sources(isNamed: Bool, isVerified: Bool) throws -> Sources {
        var sources = Sources.untried
        sources.add(mirrors: [try HTTPURL("http://mirror/f")], isVerified: isVerified, isNamed: isNamed)
        return sources
    }

    private static func next(after failure: Failure, _ sources: inout Sources) -> Next {
        var end = FailedAttempt(reached: 0, ResumeHistory())
        var (error, wait) = (DownloadError(.connectionFailed, "It broke."), Duration?.none)
        switch failure {
        case .retryable(let part): (end.part, wait) = (part, .seconds(10))
        case .final(let part): end.part = part
        case .besideFinishedFile: (end.part, end.staysAtOrigin) = (.nothing, true)
        case .cannotJoin(let part):
            end.part = part
            error = DownloadError(ResponseFault(.otherSource(.overlapDiffers)), at: nil)
        }
        let next = sources.failed(end, error, Tries(), hasAdvanced: false, retryAfter: wait, now: .now)
        guard let wait = next.wait else { return .none }
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
        sources.add(mirrors: [try HTTPURL("http://mirror/f")], isVerified: false, isNamed: true)
        #expect(Self.next(after: .final(.fixed), &sources) == .mirror(beginsAnew: true))
    }
}
