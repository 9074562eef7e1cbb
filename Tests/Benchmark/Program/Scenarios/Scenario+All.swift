extension Scenario {
    private static let mebibyte = 1 << 20

    /// In the order in which they run.
    static let all = lines + servers + downloads + splitting + [longList, keptQueue]

    /// Names for several scenarios together.
    static let groups: KeyValuePairs<String, [Scenario]> = [
        "lines": lines, "servers": servers, "downloads": downloads,
    ]

    private static let keptQueue = Scenario(
        name: "queue-kept",
        explanation: "The same as queue, with keepsQueue: what the journal of the queue costs.",
        kind: .queue(counts: [1_000, 10_000, 100_000], isKept: true)
    )

    private static let largeFiles = [
        Scenario(
            name: "large-tmpfs",
            explanation:
                "Three files of 512 MiB, three at once, into memory: what a program costs when nothing else is slow.",
            fileCount: 3,
            fileBytes: 512 * mebibyte
        ),
        Scenario(
            name: "large-disk",
            explanation: """
                The same onto the disk. Spate brings each file to the medium before the file gets its name, so that a power
                cut leaves none in part; the others leave theirs to the system's cache.
                """,
            fileCount: 3,
            fileBytes: 512 * mebibyte,
            medium: .disk
        ),
        Scenario(
            name: "large-durable",
            explanation: "The same onto the disk's medium: the others are followed by sync --data for their files.",
            fileCount: 3,
            fileBytes: 512 * mebibyte,
            medium: .durableDisk
        ),
    ]

    /// Those whose figures Documentation/Benchmarks.md shows.
    static let published = lines + servers + downloads

    /// A server and programs on one machine: what the programs themselves cost.
    static let downloads =
        largeFiles + smallFiles + [
            Scenario(
                name: "tls",
                explanation: """
                    Three files of 256 MiB over https, three at once, into memory; the certificate is checked. URLSession
                    cannot be told whom to trust on Linux, so it is left out.
                    """,
                fileCount: 3,
                fileBytes: 256 * mebibyte,
                webProtocol: .https
            ),
            Scenario(
                name: "many",
                explanation: "64 files of 8 MiB, sixteen at once, into memory: how well transfers are spread.",
                fileCount: 64,
                fileBytes: 8 * mebibyte,
                atOnce: 16
            ),
            Scenario(
                name: "slow-disk",
                explanation: """
                    Three files of 64 MiB, three at once, onto a disk that takes 20 MB/s: each write to a file is held up as
                    long as that takes. The time is given; what is looked at is the memory.
                    """,
                kind: .slowDisk(bytesPerSecond: 20_000_000),
                fileCount: 3,
                fileBytes: 64 * mebibyte
            ),
            Scenario(
                name: "resume",
                explanation: """
                    One file of 512 MiB at 100 MB/s, over one connection; the program is killed after half of the time that this
                    takes, and started again. What is looked at is how much the server sent in all, over the size.
                    """,
                kind: .resume(ConnectionRate(bytesPerSecond: 100_000_000)),
                fileCount: 1,
                fileBytes: 512 * mebibyte,
                atOnce: 1
            ),
            Scenario(
                name: "queue",
                explanation: """
                    1,000, 10,000 and 100,000 downloads enqueued with the library at a server that does not answer, and
                    cancelled: seconds, and memory for each. Spate alone.
                    """,
                kind: .queue(counts: [1_000, 10_000, 100_000])
            ),
        ]
}
