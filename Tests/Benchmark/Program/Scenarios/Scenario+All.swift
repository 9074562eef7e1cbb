extension Scenario {
    private static let mebibyte = 1 << 20

    /// In the order in which they run.
    static let all = published + splitting + [longList, keptQueue]

    private static let longList = Scenario(
        "long-list",
        "200,000 files of 4 KiB, three at once, into memory: whether a file costs more on a long list.",
        files: 200_000,
        of: 4_096,
        entries: [Entry(.spate), Entry(.curl), Entry(.wget2)],
        targets: [Target(.wall, of: Entry(.spate), to: Entry(.curl), 1.5)]
    )

    private static let keptQueue = Scenario(
        "queue-kept",
        "The same as queue, with keepsQueue: what the journal of the queue costs.",
        kind: .queue(counts: [1_000, 10_000, 100_000], isKept: true),
        files: 0,
        of: 0
    )

    /// Those whose figures the README shows.
    static let published = [
        Scenario(
            "large-tmpfs",
            "Three files of 512 MiB, three at once, into memory: what a program costs when nothing else is slow.",
            files: 3,
            of: 512 * mebibyte
        ),
        Scenario(
            "large-disk",
            """
            The same onto the disk. Spate brings each file to the medium before the file gets its name, so that a power
            cut leaves none in part; the others leave theirs to the system's cache.
            """,
            files: 3,
            of: 512 * mebibyte,
            onto: .disk
        ),
        Scenario(
            "large-durable",
            "The same onto the disk's medium: the others are followed by sync --data for their files.",
            files: 3,
            of: 512 * mebibyte,
            onto: .durableDisk
        ),
        Scenario(
            "small-tmpfs",
            "2,000 files of 4 KiB, three at once, into memory: what each file costs.",
            files: 2_000,
            of: 4_096,
            targets: [
                Target(.wall, of: Entry(.spate), to: nil, 1.5), Target(.processor, of: Entry(.spate), to: nil, 2),
            ]
        ),
        Scenario(
            "small-disk",
            "The same onto the disk.",
            files: 2_000,
            of: 4_096,
            onto: .disk,
            targets: [Target(.wall, of: Entry(.spate), to: nil, 0.9)]
        ),
        Scenario(
            "small-durable",
            "The same onto the disk's medium, as in large-durable.",
            files: 2_000,
            of: 4_096,
            onto: .durableDisk,
            targets: [Target(.wall, of: Entry(.spate), to: nil, 0.8)]
        ),
        Scenario(
            "tls",
            """
            Three files of 256 MiB over https, three at once, into memory; the certificate is checked. URLSession
            cannot be told whom to trust on Linux, so it is left out.
            """,
            files: 3,
            of: 256 * mebibyte,
            isSecured: true
        ),
        Scenario(
            "many",
            "64 files of 8 MiB, sixteen at once, into memory: how well transfers are spread.",
            files: 64,
            of: 8 * mebibyte,
            atOnce: 16
        ),
        Scenario(
            "slow-disk",
            """
            Three files of 64 MiB, three at once, onto a disk that takes 20 MB/s: each write to a file is held up as
            long as that takes. The time is given; what is looked at is the memory.
            """,
            kind: .slowDisk(bytesPerSecond: 20_000_000),
            files: 3,
            of: 64 * mebibyte
        ),
        Scenario(
            "resume",
            """
            One file of 512 MiB at 100 MB/s; the program is killed when half of it is there, and started again. What is
            looked at is how much the server sent in all, over the size. The rest is sent as fast as it goes.
            """,
            kind: .resume,
            files: 1,
            of: 512 * mebibyte,
            atOnce: 1
        ),
        Scenario(
            "queue",
            """
            1,000, 10,000 and 100,000 downloads enqueued with the library at a server that does not answer, and
            cancelled: seconds, and memory for each. Spate alone.
            """,
            kind: .queue(counts: [1_000, 10_000, 100_000]),
            files: 0,
            of: 0
        ),
    ]
}
