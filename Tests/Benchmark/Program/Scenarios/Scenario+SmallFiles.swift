/// Files so small that what counts is the cost of each.
extension Scenario {
    static let smallFiles = [
        Scenario(
            name: "one-by-one",
            explanation: """
                1,000 files of 4 KiB, one at a time on a connection that is kept, into memory: how long a file takes from
                its request to its name. The library has an entry of its own, which awaits each file before the next.
                """,
            fileCount: 1_000,
            fileBytes: 4_096,
            atOnce: 1,
            entries: [Entry(.spate), .library, Entry(.curl), Entry(.aria2c), Entry(.wget2)],
            targets: [
                Target(.wall, of: Entry(.spate), to: Entry(.curl), 1.3),
                Target(.wall, of: .library, to: Entry(.curl), 1.3),
            ]
        )
    ]
}
