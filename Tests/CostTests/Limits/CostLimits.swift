/// All limits, each beside the count from when it was set.
///
/// Change a figure here when a change costs more and is worth it, or costs less. The failed test prints the new figure.
enum CostLimits {
    // MARK: System calls for a file of 4 KiB

    /// On files in the folder: the same in every run, on every machine.
    static let filesOfSmallFile = [
        // One is of the folder after its flush.
        file("looks at files", [.look], counted: 4, limit: 4.02),
        file("opened files", [.open], counted: 1, limit: 1.5),
        file("closed files", [.close], counted: 1, limit: 1.5),
        file("locks", [.lock], counted: 0, limit: 0.1),
        file("attributes set or removed", [.attribute], counted: 3, limit: 4),
        file("writes", [.write], counted: 1, limit: 1.5),
        // One of the file, and one of the folder.
        CallLimit("flushes", [.flush], isInside: true, isShared: true, counted: 2, limit: 2.01),
        file("renames", [.rename], counted: 1, limit: 1.5),
        file("all else", [.room, .read, .remove, .other], counted: 0, limit: 0.1),
        file("all calls", Set(CallKind.allCases), counted: 12, limit: 14),
    ]

    /// On sockets and other files. Waits, wake-ups and timers are not limited: a busy machine doubles them.
    static let othersOfSmallFile = [
        other("receives", [.receive], counted: 1, limit: 1.5),
        other("sends", [.send], counted: 1, limit: 1.5),
        other("opened files", [.open], counted: 0, limit: 0.5),
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
    /// A few come as time passes, with progress, and more if the machine is busy; one for each block would be too many.
    static let allocationsOfBlock = CostLimit("allocations for 256 KiB", counted: 0, limit: 0.95)

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
