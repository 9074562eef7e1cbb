/// Lines like those between a machine and distant servers.
extension Scenario {
    /// The programs as their users call them: with their defaults, and as guides tell to call them for speed.
    private static let callers = [
        Entry(.spate, typed: ""), Entry(.curl, typed: "-Z"), Entry(.aria2c, typed: ""),
        Entry(.aria2c, typed: "-j16 -x8 -s8 -k1M"), Entry(.wget2, typed: ""),
    ]
    /// Enough for the best peer, which is all that the ratio needs.
    private static func mostSeconds(over line: Line) -> Int { line == thin ? 30 : 15 }

    private static let usual = Line(roundTripMilliseconds: 50, megabitsPerSecond: 200)
    private static let lossy = Line(roundTripMilliseconds: 80, megabitsPerSecond: 200, lossPercent: 0.05)
    private static let far = Line(roundTripMilliseconds: 100, megabitsPerSecond: 300, lossPercent: 0.1)
    private static let near = Line(roundTripMilliseconds: 20, megabitsPerSecond: 500)
    private static let thin = Line(roundTripMilliseconds: 200, megabitsPerSecond: 50, lossPercent: 0.2)

    /// What is fetched over a line.
    private enum Work {
        static let small = [FileGroup(count: 300, bytes: 16 << 10)]
        static let many = [FileGroup(count: 2_500, bytes: 12 << 10)]
        static let onHosts = [FileGroup(count: 320, bytes: 16 << 10)]
        static let medium = [FileGroup(count: 48, bytes: 1 << 20)]
        static let one = [FileGroup(count: 1, bytes: 48 << 20)]
        static let mixed = [
            FileGroup(count: 120, bytes: 4 << 10), FileGroup(count: 60, bytes: 64 << 10),
            FileGroup(count: 16, bytes: 1 << 20), FileGroup(count: 1, bytes: 24 << 20),
        ]
    }

    private static func over(
        _ line: Line,
        _ name: String,
        _ files: [FileGroup],
        _ words: String,
        hosts: Int = 1,
        webProtocol: WebProtocol = .http,
        atMost ratio: Double
    ) -> Scenario {
        Scenario(
            name: "line-\(Int(line.roundTripMilliseconds))-\(name)",
            explanation: "\(words) over a line of \(line.words).",
            kind: .line(line),
            fileCount: files[0].count,
            fileBytes: files[0].bytes,
            otherFiles: Array(files.dropFirst()),
            hosts: hosts,
            webProtocol: webProtocol,
            entries: callers,
            targets: [Target(.wall, of: callers[0], to: nil, ratio)],
            limitSeconds: mostSeconds(over: line)
        )
    }

    static let lines = [
        over(usual, "small", Work.small, "A page's worth of small files", atMost: 1.3),
        over(usual, "many", Work.many, "Thousands of small files", atMost: 1),
        over(usual, "tls", Work.small, "Small files with TLS", webProtocol: .https, atMost: 1.3),
        over(usual, "h2", Work.small, "Small files with HTTP/2", webProtocol: .http2, atMost: 1.3),
        over(usual, "hosts", Work.onHosts, "Small files on eight hosts", hosts: 8, atMost: 1.3),
        over(usual, "mixed", Work.mixed, "Many small files and few large ones", atMost: 1),
        over(usual, "medium", Work.medium, "Files of 1 MiB", atMost: 1.1),
        over(usual, "one", Work.one, "One file", atMost: 1.1),
        over(lossy, "medium", Work.medium, "Files of 1 MiB", atMost: 1.1),
        over(lossy, "one", Work.one, "One file", atMost: 1.1),
        over(far, "one", Work.one, "One file", atMost: 1.1),
        over(near, "mixed", Work.mixed, "Many small files and few large ones", atMost: 1),
        over(near, "one", Work.one, "One file", atMost: 1.1),
        over(thin, "mixed", Work.mixed, "Many small files and few large ones", atMost: 1),
        over(thin, "one", Work.one, "One file", atMost: 1.1),
    ]
}
