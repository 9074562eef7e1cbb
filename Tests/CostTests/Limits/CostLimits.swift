/// All limits, each beside the count from when it was set.
///
/// Change a figure here when a change costs more and is worth it, or costs less. The failed test prints the new figure.
enum CostLimits {
    // MARK: System calls for a file of 4 KiB

    /// On files in the folder: the same in every run, on every machine.
    static let filesOfSmallFile = [
        file("looks at files", [.look], counted: 3, limit: 3.5),
        file("opened files", [.open], counted: 1, limit: 1.5),
        file("closed files", [.close], counted: 1, limit: 1.5),
        file("locks", [.lock], counted: 0, limit: 0.1),
        file("attributes set or removed", [.attribute], counted: 3, limit: 4),
        file("writes", [.write], counted: 1, limit: 1.5),
        // One of the file, and one of the folder, which several files may share.
        file("flushes", [.flush], counted: 2, limit: 2.01),
        file("renames", [.rename], counted: 1, limit: 1.5),
        file("all else", [.room, .read, .remove, .other], counted: 0, limit: 0.1),
        file("all calls", Set(CallKind.allCases), counted: 12, limit: 14),
    ]

    /// On sockets, and between threads: a machine that is busy wakes its threads more often.
    static let othersOfSmallFile = [
        other("receives", [.receive], counted: 1.4, limit: 2.7),
        other("sends", [.send], counted: 1.2, limit: 2.3),
        other("waits", [.wait], counted: 3, limit: 5.5),
        other("hand-overs between threads", [.hand], counted: 4.2, limit: 8),
        other("calls for memory", [.memory], counted: 0.2, limit: 0.39),
        other("all else", [.open, .look, .read, .write, .close, .other], counted: 0, limit: 0.5),
        other("all calls", Set(CallKind.allCases), counted: 9.9, limit: 18),
    ]

    // MARK: System calls for a mebibyte of a large file

    static let callsOfMebibyte = [
        // Blocks of 256 KiB; bytes that come slowly are written before they fill one.
        file("writes", [.write], counted: 4, limit: 6),
        // The file is synced once in four seconds.
        file("all on files but writes", Set(CallKind.allCases).subtracting([.write]), counted: 0, limit: 0.5),
        other("receives", [.receive], counted: 4, limit: 6.5),
        other("all but receives", Set(CallKind.allCases).subtracting([.receive]), counted: 4.1, limit: 7),
    ]

    // MARK: Allocations

    /// For each 256 KiB of a large file, which libcurl hands over in sixteen pieces: none, of ours or of libcurl's.
    static let allocationsOfBlock = CostLimit("allocations for 256 KiB", counted: 0, limit: 0.5)

    /// For a file of 4 KiB.
    #if DEBUG
        static let allocationsOfSmallFile = CostLimit("allocations for a small file", counted: 472, limit: 510)
    #else
        static let allocationsOfSmallFile = CostLimit("allocations for a small file", counted: 84.5, limit: 95)
    #endif

    // MARK: Connections

    /// For three downloads at once, however many there are in all.
    static let connectionsOfThreeAtOnce = CostLimit("connections for three at once", counted: 3, limit: 3)

    private static func file(_ name: String, _ kinds: Set<CallKind>, counted: Double, limit: Double) -> CallLimit {
        CallLimit(name, kinds, isInside: true, counted: counted, limit: limit)
    }

    private static func other(_ name: String, _ kinds: Set<CallKind>, counted: Double, limit: Double) -> CallLimit {
        CallLimit(name, kinds, isInside: false, counted: counted, limit: limit)
    }
}
