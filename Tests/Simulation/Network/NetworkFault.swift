/// What can be wrong with hosts and files of a world. A world can forbid each one, and stays the same otherwise.
package enum NetworkFault: String, CaseIterable, Sendable {
    // Hosts.
    case slowHost, narrowHost
    case refusedConnections, unknownHost, unreachableHost, untrustedCertificate, brokenHandshakes
    case connectionLimit, busyHost
    /// Some addresses of a host send almost nothing, answer nobody, or refuse connections; the others do not.
    case crawlingAddress, silentAddress, refusingAddress
    /// A client that asks too often is refused for a while.
    case ban
    /// A client that has two connections for one file is refused for a while.
    case banForHelpers
    /// All connections to a host share a rate.
    case sharedBandwidth
    /// All connections to all hosts with this share a rate: that of the machine's own line.
    case commonLine
    /// Each connection has a rate of its own.
    case slowConnections
    /// With too many connections each gets a tenth of its rate, or less, and for a while after.
    case collapse
    /// Answers come later, the more requests are under way.
    case laterAnswers
    case longRoundTrip
    /// A new connection sends little, and twice as much after each round trip.
    case slowStart
    /// The rate falls, for a while or for good.
    case fallingRate
    /// Refusals say how long to wait, in seconds or as a date. Without these two they say nothing.
    case retryAfter, retryAfterDate

    // Versions.
    case versionChanges
    /// The one before the last comes back.
    case versionReturns
    /// A new version shares most of its bytes with the one before.
    case sharedBytes
    /// Two versions in the same second.
    case quickChanges
    /// A new version cuts the responses with the previous one.
    case cutAtChange
    case backEndsDiffer, backEndLags

    // Validators.
    case weakTags, noTags, noLastModified, noDate, wrongClock
    /// Two versions have one strong tag.
    case sameTag
    /// Two versions have one date.
    case sameDate
    case wrongDigest

    // Ranges and conditions.
    case noRanges, refusedRanges, shortRanges, tinyRanges, slowRanges, multipart
    case otherStart, otherTotal, unknownTotal, noContentRange, wrongLength
    /// The bytes begin one later than Content-Range says.
    case shiftedRanges
    /// A 206 has no validator.
    case bareParts
    /// If-Range always leads to a 200.
    case ifRangeAlwaysWhole
    /// If-Range is not compared. The 206 names its own version.
    case ifRangeNotChecked
    /// If-Range is not compared, and the 206 has the validator that was sent.
    case ifRangeEchoed
    case ignoredConditions
    /// A 304 whatever the version.
    case always304

    // Bodies.
    case chunked, framedByClose, contentEncoding, malformedChunk
    /// Over HTTP/2, a body without a length whose end nothing proves: whole or not.
    case unprovenEnd
    case pageInstead
    /// A page with the validators of the file.
    case pageWithTag

    // Other places.
    case redirect, redirectLoop, signedRedirect, expiredRedirect, signatures
    case mirrors, staleMirror, deadMirror
    /// It has another file under that name.
    case otherMirror
    /// Another file under the same validators.
    case lyingMirror

    // Single responses.
    case cut, reset, stall, pause, drip, headStall, emptyReply, garbage
    case serverError, forbidden, missing
    /// A body without a length ends early, in good order.
    case silentCut

    package static let ofHosts: [NetworkFault] =
        [
            .slowHost, .narrowHost, .refusedConnections, .unknownHost, .unreachableHost,
            .untrustedCertificate, .brokenHandshakes, .ban, .banForHelpers,
            .busyHost, .crawlingAddress, .silentAddress, .refusingAddress,
        ] + ofLines

    /// How lines and the hosts behind them bear many connections. See ``SimulatedLine``.
    package static let ofLines: [NetworkFault] = [
        .sharedBandwidth, .commonLine, .slowConnections, .collapse, .connectionLimit, .laterAnswers, .longRoundTrip,
        .slowStart, .fallingRate,
    ]

    /// Those of them that make several connections for one file of use, or a nuisance.
    static let ofConnections: [NetworkFault] =
        [
            .slowHost, .brokenHandshakes, .ban, .banForHelpers, .busyHost, .crawlingAddress, .silentAddress,
            .refusingAddress,
        ] + ofLines

    /// Faults of a host's refusals: drawn apart from its others.
    package static let ofRefusals: [NetworkFault] = [.retryAfter, .retryAfterDate]

    /// Faults of a mirror beside those of any file.
    package static let ofMirrors: [NetworkFault] = [.staleMirror, .deadMirror, .otherMirror, .lyingMirror]

    /// With any of these a file has several versions.
    static let ofChanges: [NetworkFault] = [
        .versionChanges, .versionReturns, .sharedBytes, .quickChanges, .cutAtChange, .backEndLags, .sameTag, .sameDate,
    ]

    package static let ofFiles: [NetworkFault] = {
        let others = ofHosts + ofRefusals + ofMirrors
        return allCases.filter { !others.contains($0) }
    }()

    /// On what it hangs whether bytes of two versions, or of two places, meet. That takes several of them, and so they are
    /// also drawn by themselves.
    static let ofVersions: [NetworkFault] = [
        .versionChanges, .versionReturns, .sharedBytes, .quickChanges, .cutAtChange, .backEndLags, .weakTags, .noTags,
        .noLastModified, .mirrors, .bareParts, .ifRangeNotChecked, .slowRanges, .cut, .reset, .pause,
    ]

    /// With all of these only If-Range tells two versions apart.
    static let toldByIfRange: [NetworkFault] = [.cutAtChange, .sharedBytes, .bareParts, .noLastModified]

    /// After these a client may be misled, unless it has a checksum: no validator that it can see is honest.
    package static let dishonest: Set<NetworkFault> = [
        .sameTag, .sameDate, .shiftedRanges, .ifRangeEchoed, .always304, .pageWithTag, .lyingMirror, .silentCut,
    ]
}
