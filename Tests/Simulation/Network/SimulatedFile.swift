import SpateHTTPSyntax
package import SpateTestSupport

/// One file of a server, with all versions that it has had.
package final class SimulatedFile: @unchecked Sendable {
    struct Version {
        let content: SimulatedContent
        /// Its second since 1970.
        let modified: Int64
        let since: Duration
    }

    /// Such as `http://host1.example/file3.bin`.
    package let url: String
    package let host: SimulatedHost
    /// What is wrong with it, in the order in which they were drawn.
    package private(set) var faults: [NetworkFault]
    /// Other places of it that its responses name.
    package internal(set) var mirrors: [SimulatedFile] = []
    /// What its server calls it; `nil` for nothing.
    private let name: Name?
    /// The file of which this is a mirror.
    // It holds its mirrors.
    private(set) weak var original: SimulatedFile?
    /// Where its redirects lead.
    let target: (url: String, host: SimulatedHost)
    private(set) var versions: [Version] = []
    /// What it has sent in place of a version, or of one of another place.
    private(set) var others: [SimulatedContent] = []
    /// What is random about its responses.
    var random: SeededRandom
    /// What is random about its versions.
    private var changes: SeededRandom
    private var variants: [(base: SimulatedContent, content: SimulatedContent)] = []
    private let variantSeed: UInt64
    let traits: Traits
    /// What is random about its Metalinks; `nil` if its responses name none.
    private var metalinks: SeededRandom?
    private var isHealed = false
    private let sizes: Sizes

    private let redirectFaults: Set<NetworkFault> = [.redirect, .redirectLoop, .signedRedirect, .expiredRedirect]

    enum Name: CaseIterable {
        /// The same for each version.
        case own
        /// The same as other files have.
        case common
        /// What the first URL gives.
        case first
        case ofVersion
        case unsafe
    }

    package enum Sizes: Sendable {
        /// Of few bytes, of some blocks, or of some MiB.
        case usual
        /// Of which a request for some connections makes several.
        case large
        /// One is enough to try further connections by itself.
        case huge
        /// Most are small, as those of which many are fetched.
        case many
    }

    /// What is not wrong, but differs.
    struct Traits {
        let digest: (StatedDigest.Field, StatedDigest.Algorithm)?
        let statesRanges: Bool
        let signatureTime: Duration
        let redirectStatus: Int
        let clockError: Int64
        let mirrorTag: String
        /// How long its ranges are where they are tiny: less than what a client compares, or little more.
        let tinyLength: Int
        let sharesMiddle: Bool

        init(_ random: inout SeededRandom) {
            let fields: [(StatedDigest.Field, StatedDigest.Algorithm)] = [
                (.reprDigest, .sha256), (.reprDigest, .sha512), (.digest, .sha256), (.digest, .md5),
                (.googleHash, .md5), (.contentMD5, .md5),
            ]
            let field = random.pick(fields)
            digest = random.onceIn(3) ? field : nil
            statesRanges = !random.onceIn(4)
            signatureTime = random.time(.milliseconds(300), .seconds(90))
            redirectStatus = random.pick([301, 302, 303, 307, 308])
            clockError = Int64(random.number(in: -7_200...7_200))
            mirrorTag = random.onceIn(2) ? "-m" : ""
            tinyLength = random.pick([10, 4_106, 65_600])
            sharesMiddle = random.onceIn(2)
        }
    }

    /// - Parameter random: all that is random about it.
    package init(
        at url: String,
        on host: SimulatedHost,
        target: (url: String, host: SimulatedHost),
        mirrorOf original: SimulatedFile? = nil,
        faults: [NetworkFault],
        sizes: Sizes = .usual,
        random: SeededRandom
    ) {
        var random = random
        (self.url, self.host, self.target, self.original, self.faults) = (url, host, target, original, faults)
        self.sizes = sizes
        traits = Traits(&random)
        changes = random.fork()
        variantSeed = random.next()
        var names = SeededRandom(seed: variantSeed)
        name = names.onceIn(3) ? nil : names.pick(Name.allCases)
        if original == nil, names.onceIn(2) { metalinks = names.fork() }
        // A few files have just been written: their date proves nothing.
        let age = changes.onceIn(6) ? changes.number(in: 0...2) : changes.number(in: 10...30_000_000)
        // More than what is compared, so that the rest may differ.
        let least = faults.contains(.sharedBytes) ? 192 * 1_024 : 0
        let content = SimulatedContent(seed: changes.next(), count: least + sizes.length(&changes), label: "v1")
        versions = [Version(content: content, modified: Duration.zero.serverDate - Int64(age), since: .zero)]
        self.random = random
    }

    package var targetURL: String { target.url }

    package var path: String { HTTPURL.path(of: url) }

    /// The URL of its Metalink, if its responses name one.
    var metalinkURL: String? { metalinks == nil ? nil : url + ".meta4" }

    /// What is sent as its Metalink: most are right about its present version.
    func metalink(_ now: Duration) -> SimulatedContent? {
        guard var random = metalinks else { return nil }
        defer { metalinks = random }
        let kind = isHealed ? 5 : random.below(8)
        guard kind > 0, let content = version(0, now)?.content, content.count > 0 else { return nil }
        if kind == 1 { return SimulatedContent("no Metalink", label: "no Metalink") }
        let size = content.count + (kind == 2 ? 1 : 0)
        let urls = mirrors.enumerated().map { "<url priority=\"\($0 + 1)\">\($1.url)</url>" }.joined()
        let pieces = kind == 4 ? "" : content.piecesText(wrong: kind == 3).text
        return SimulatedContent(
            "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\"><file name=\"other\"><size>\(size)</size>"
                + "\(pieces)\(urls)</file></metalink>",
            label: "Metalink \(kind) of \(content.label)"
        )
    }

    func has(_ fault: NetworkFault) -> Bool { faults.contains(fault) }

    /// Whether it may send its clients elsewhere.
    var mayRedirect: Bool { !redirectFaults.isDisjoint(with: faults) }

    /// From now on it is honest and has only its present version.
    func heal() {
        (faults, isHealed) = ([], true)
    }

    func close() {
        (mirrors, versions, others, variants) = ([], [], [], [])
    }

    /// All that it has had, and has sent under its URL.
    package var contents: [SimulatedContent] {
        // Contents of versions that came back are the same object.
        versions.map(\.content) + others
    }

    func noteOther(_ content: SimulatedContent) {
        if !others.contains(where: { $0 === content }), !versions.contains(where: { $0.content === content }) {
            others.append(content)
        }
    }

    /// Another content that belongs to one of a version, such as its encoded form.
    func variant(of content: SimulatedContent, _ label: String, count: Int) -> SimulatedContent {
        let label = "\(content.label) \(label)"
        if let known = variants.first(where: { $0.base === content && $0.content.label == label }) {
            return known.content
        }
        let seed = label.utf8.reduce(variantSeed) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        let variant = SimulatedContent(seed: seed ^ UInt64(content.count), count: count, label: label)
        variants.append((content, variant))
        return variant
    }

    /// The Content-Disposition of a version.
    func disposition(of version: Version) -> String? {
        let stem = path.dropFirst().prefix { $0 != "." }
        let name: String? =
            switch name {
            case .own: "served-\(stem).bin"
            case .common: "served.bin"
            case .first: "file0.bin"
            case .ofVersion: "\(stem)-\(version.content.label).bin"
            case .unsafe: "../\(stem).bin.part"
            case nil: nil
            }
        return name.map { "attachment; filename=\"\($0)\"" }
    }

    // MARK: Versions

    /// When its version changes, from a moment on. The times are drawn in any case.
    func changeTimes(within horizon: Duration) -> [Duration] {
        let count = changes.number(in: 1...4)
        var times: [Duration] = []
        for _ in 0..<count {
            let time = changes.time(.milliseconds(5), horizon)
            times += [time, time + .milliseconds(changes.number(in: 1...600))]
        }
        // Each second one comes right after another.
        let kept = has(.quickChanges) ? times : times.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
        return NetworkFault.ofChanges.contains { has($0) } ? kept.sorted() : []
    }

    /// Gets its next version. Call ``SimulatedNetwork/change(_:)``.
    func change(_ now: Duration) -> SimulatedContent? {
        guard let last = versions.last else { return nil }
        var random = changes.fork()
        let (returns, percent, seed) = (random.onceIn(3), random.number(in: 0...100), random.next())
        let (keepsLength, length) = (random.onceIn(2), sizes.length(&random))
        let (sharesFront, edge) = (random.onceIn(2), random.number(in: 1...4_096))
        if returns, has(.versionReturns), versions.count > 1 {
            let old = versions[versions.count - 2]
            versions.append(Version(content: old.content, modified: old.modified, since: now))
            return old.content
        }
        let border = last.content.count / 100 * percent
        var count = keepsLength || has(.sameTag) ? last.content.count : length
        var shared: Range<Int>?
        if differsAtItsEnds {
            if last.content.count > 2 * edge { shared = edge..<last.content.count - edge }
            let grows = !responsesNameTheirVersion
            count = grows ? edge + (versions.map(\.content.count).max() ?? 0) : last.content.count
        } else if has(.sharedBytes), responsesNameTheirVersion || conditionsTellVersions {
            shared = sharesFront ? 0..<border : border..<last.content.count
        }
        let content = SimulatedContent(
            seed: seed,
            count: count,
            label: "v\(versions.count + 1)",
            sharing: shared.map { (last.content, $0) }
        )
        let modified = has(.sameDate) ? last.modified : now.serverDate
        versions.append(Version(content: content, modified: modified, since: now))
        return content
    }

    /// Whether its versions share all but their ends. A comparison finds no difference in the middle, so only tags and
    /// lengths tell them apart. It has no mirrors then: of those, neither need be the file's own.
    var differsAtItsEnds: Bool {
        has(.sharedBytes) && traits.sharesMiddle && (responsesNameTheirVersion || responsesNameTheirLength)
    }

    private var responsesNameTheirVersion: Bool { !has(.noTags) && !has(.bareParts) }

    /// Whether a range request with If-Range never gets bytes of another version, though its response does not say so. The
    /// tag is strong to a client then, since no date says that it is of the same second.
    private var conditionsTellVersions: Bool {
        let faults: [NetworkFault] = [
            .noTags, .weakTags, .sameTag, .ifRangeNotChecked, .ifRangeEchoed, .ifRangeAlwaysWhole, .ignoredConditions,
        ]
        return has(.noLastModified) && !faults.contains { has($0) }
    }

    private var responsesNameTheirLength: Bool {
        let faults: [NetworkFault] = [
            .chunked, .malformedChunk, .framedByClose, .unprovenEnd, .silentCut, .unknownTotal, .noContentRange,
            .contentEncoding,
        ]
        return !faults.contains { has($0) }
    }

    /// The version that one of its back ends has.
    func version(_ backEnd: Int, _ now: Duration) -> Version? {
        if let original { return has(.staleMirror) ? original.versions.first : original.version(0, now) }
        guard let last = versions.last else { return nil }
        if backEnd == 1, has(.backEndLags), versions.count > 1, now < last.since + .seconds(30) {
            return versions[versions.count - 2]
        }
        return last
    }

    /// The tag of a version, without its quotes.
    func tag(_ version: Version, _ backEnd: Int) -> String {
        if let original { return original.tag(version, backEnd) + traits.mirrorTag }
        if has(.sameTag), let first = versions.first { return first.content.name }
        return version.content.name + (backEnd == 1 && has(.backEndsDiffer) ? "-b" : "")
    }
}

extension SimulatedFile.Sizes {
    fileprivate func length(_ random: inout SeededRandom) -> Int {
        switch self {
        case .usual: usualLength(&random)
        case .large: random.number(in: 1_024 * 1_024...4 * 1_024 * 1_024)
        case .huge: random.number(in: 9 * 1_024 * 1_024...12 * 1_024 * 1_024)
        case .many:
            switch random.below(24) {
            case 0...15: random.number(in: 1_000...24 * 1_024)
            case 16...22: random.number(in: 24 * 1_024...160 * 1_024)
            default: random.number(in: 160 * 1_024...1_536 * 1_024)
            }
        }
    }

    private func usualLength(_ random: inout SeededRandom) -> Int {
        switch random.below(32) {
        case 0: 0
        case 1, 2: random.number(in: 1...20)
        case 3...10: random.number(in: 1...16 * 1_024)
        case 11: random.pick([4_096, 16 * 1_024, 65_536, 256 * 1_024, 1_024 * 1_024])
        case 12...28: random.number(in: 1...200 * 1_024)
        case 29, 30: random.number(in: 200 * 1_024...2 * 1_024 * 1_024)
        default: random.number(in: 1_024 * 1_024...6 * 1_024 * 1_024)
        }
    }
}

extension HTTPURL {
    static func path(of text: String) -> String { (try? HTTPURL(text))?.path ?? "" }
}
