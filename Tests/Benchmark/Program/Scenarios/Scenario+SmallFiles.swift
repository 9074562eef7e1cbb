/// Files so small that what counts is the cost of each.
extension Scenario {
    private static let mebibyte = 1 << 20

    static let longList = Scenario(
        name: "long-list",
        explanation:
            "200,000 files of 4 KiB, three at once, into memory: whether a file costs more on a long list.",
        fileCount: 200_000,
        fileBytes: 4_096,
        entries: [Entry(.spate), Entry(.curl), Entry(.wget2)],
        targets: [
            Target(.wall, of: Entry(.spate), to: nil, 1.3),
            Target(.memory, of: Entry(.spate), atMost: Double(40 * mebibyte)),
        ]
    )

    static let smallFiles = [
        Scenario(
            name: "small-tmpfs",
            explanation: "2,000 files of 4 KiB, three at once, into memory: what each file costs.",
            fileCount: 2_000,
            fileBytes: 4_096,
            targets: [
                Target(.wall, of: Entry(.spate), to: nil, 1.2),
                Target(.processor, of: Entry(.spate), to: Entry(.curl), 1.2),
                Target(.switches, of: Entry(.spate), atMost: 0.3),
            ]
        ),
        Scenario(
            name: "small-disk",
            explanation: "The same onto the disk.",
            fileCount: 2_000,
            fileBytes: 4_096,
            medium: .disk,
            targets: [Target(.wall, of: Entry(.spate), to: nil, 0.9)]
        ),
        Scenario(
            name: "small-durable",
            explanation: "The same onto the disk's medium, as in large-durable.",
            fileCount: 2_000,
            fileBytes: 4_096,
            medium: .durableDisk,
            targets: [Target(.wall, of: Entry(.spate), to: nil, 0.8)]
        ),
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
        ),
        Scenario(
            name: "small-tls",
            explanation: "The same as small-tmpfs over https; the server offers HTTP/1.1 alone.",
            fileCount: 2_000,
            fileBytes: 4_096,
            webProtocol: .https,
            targets: [Target(.wall, of: Entry(.spate), to: nil, 1.1)]
        ),
        Scenario(
            name: "small-h2",
            explanation: """
                The same over HTTP/2 and TLS. curl and wget2 have one connection for all files; aria2 speaks no HTTP/2 and is
                left out.
                """,
            fileCount: 2_000,
            fileBytes: 4_096,
            webProtocol: .http2,
            targets: [Target(.wall, of: Entry(.spate), to: nil, 1.1)]
        ),
        Scenario(
            name: "small-h2-many",
            explanation: "The same as small-h2, 32 at once: what multiplexing brings.",
            fileCount: 2_000,
            fileBytes: 4_096,
            atOnce: 32,
            webProtocol: .http2,
            targets: [Target(.wall, of: Entry(.spate), to: nil, 1.1)]
        ),
    ]
}
