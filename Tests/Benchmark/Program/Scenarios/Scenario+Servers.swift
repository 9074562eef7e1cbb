/// Servers that are not just fast: whether spate's own choice of how many downloads run at once is as good as the best
/// fixed number.
extension Scenario {
    private static let spate = Entry(.spate, typed: "")
    private static let numbers = [1, 3, 6, 8, 12, 16, 24, 48, 64].map(Entry.fixed)
    private static let peers = [
        Entry(.curl, typed: "-Z"), Entry(.aria2c, typed: ""), Entry(.aria2c, typed: "-j16 -x8 -s8 -k1M"),
        Entry(.wget2, typed: ""),
    ]
    private static let mostSeconds = 15

    private static func from(
        _ name: String,
        _ model: ServerModel,
        _ explanation: String,
        _ files: FileGroup,
        atMost ratio: Double = 1.25
    ) -> Scenario {
        Scenario(
            name: "server-\(name)",
            explanation: explanation,
            kind: .server(model),
            fileCount: files.count,
            fileBytes: files.bytes,
            entries: [spate] + numbers + peers,
            targets: [Target(.wall, of: spate, to: nil, ratio)],
            limitSeconds: mostSeconds
        )
    }

    static let servers = [
        from(
            "shared",
            ServerModel(waitSeconds: 0.03, sharedRate: 16e6),
            "All connections share a rate: more of them bring nothing.",
            FileGroup(count: 16, bytes: 4 << 20)
        ),
        from(
            "each",
            ServerModel(waitSeconds: 0.03, rateEach: 1e6),
            "Each connection has its rate: each more brings as much as the first.",
            FileGroup(count: 64, bytes: 4 << 20)
        ),
        from(
            "collapses",
            ServerModel(waitSeconds: 0.03, rateEach: 4e6, most: 9, excess: .collapses(seconds: 3)),
            "Crawls for seconds after too many connections were open.",
            FileGroup(count: 800, bytes: 256 << 10),
            atMost: 1.5
        ),
        from(
            "refuses",
            ServerModel(waitSeconds: 0.05, rateEach: 4e6, most: 11, excess: .refuses),
            "Answers requests that are too many with 503 and Retry-After.",
            FileGroup(count: 400, bytes: 256 << 10),
            atMost: 1.5
        ),
        from(
            "closes",
            ServerModel(waitSeconds: 0.05, rateEach: 4e6, most: 11, excess: .closes),
            "Closes connections that are too many.",
            FileGroup(count: 400, bytes: 256 << 10),
            atMost: 1.5
        ),
        from(
            "later",
            ServerModel(waitSeconds: 0.02, waitForEachSeconds: 0.006),
            "Answers later the more is asked.",
            FileGroup(count: 900, bytes: 16 << 10)
        ),
    ]

    /// Whether a server turns down what is too much for it, so that a program which does not come back lacks files.
    var refuses: Bool {
        guard case .server(let model) = kind else { return false }
        return model.excess == .refuses || model.excess == .closes
    }
}
