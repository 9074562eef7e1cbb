/// One file over several connections.
extension Scenario {
    private static let mebibyte = 1 << 20
    private static let eight = Entry(.spate, connections: 8)
    private static let peersEight = Entry(.aria2c, connections: 8)

    static let splitting = [
        Scenario(
            name: "split-throttled",
            explanation: """
                One file of 64 MiB from a server that gives each connection 8 MiB/s: what several connections bring, if
                their number is given and if it is not.
                """,
            kind: .throttled(ConnectionRate(bytesPerSecond: 8 * mebibyte)),
            fileCount: 1,
            fileBytes: 64 * mebibyte,
            atOnce: 1,
            entries: [eight, Entry(.spate), peersEight],
            targets: [
                Target(.wall, of: eight, to: peersEight, 1), Target(.wall, of: Entry(.spate), to: peersEight, 2.5),
            ]
        ),
        Scenario(
            name: "split-large",
            explanation: """
                One file of 1 GiB from nginx as fast as it goes, into memory: whether a second core helps, and what that
                costs.
                """,
            fileCount: 1,
            fileBytes: 1_024 * mebibyte,
            atOnce: 1,
            entries: [
                Entry(.spate), Entry(.spate, connections: 1), Entry(.curl), Entry(.wget2),
                Entry(.aria2c, connections: 4),
            ],
            targets: [
                Target(.wall, of: Entry(.spate), to: nil, 0.9),
                Target(.processor, of: Entry(.spate), to: Entry(.spate, connections: 1), 1.1),
            ]
        ),
        Scenario(
            name: "split-crawling",
            explanation: """
                One file of 16 MiB over eight connections of 2 MiB/s, one of which gets 50 kB/s: whether the others take
                over what it has.
                """,
            kind: .throttled(ConnectionRate(bytesPerSecond: 2 * mebibyte, third: 50_000)),
            fileCount: 1,
            fileBytes: 16 * mebibyte,
            atOnce: 1,
            entries: [eight, peersEight],
            targets: [Target(.wall, of: eight, to: peersEight, 0.2)]
        ),
        Scenario(
            name: "split-resume",
            explanation: """
                One file of 64 MiB over eight connections of 8 MiB/s; the program is killed after half of the time that this
                takes, and started again. What is looked at is how much the server sent in all, over the size.
                """,
            kind: .resume(ConnectionRate(bytesPerSecond: 8 * mebibyte)),
            fileCount: 1,
            fileBytes: 64 * mebibyte,
            atOnce: 1,
            entries: [eight, peersEight],
            // A block of 256 KiB for each connection.
            targets: [Target(.fetched, of: eight, atMost: 1 + 8 * 0.25 / 64)]
        ),
    ]
}
