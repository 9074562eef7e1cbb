/// When the bytes of a running download are synced.
struct SyncSchedule {
    private var isUnderWay = false
    /// When the last sync began, and how much of the file had been written by then.
    private var last: (time: ContinuousClock.Instant, offset: Int64)?

    /// A fast download is synced after this many bytes, so that the disk works beside the network. Otherwise a large file
    /// would be left to the last sync, which everybody waits for.
    static let mostUnsynced: Int64 = 32 << 20

    /// Whether a sync begins now, when the file has been written up to `offset`. One is under way at a time.
    ///
    /// What one sync writes counts after the next, which writes the mark for it. So a sync is due after two fifths of the
    /// time; the last fifth is for the syncs themselves.
    ///
    /// - Parameters:
    ///   - loss: how much of a download a power cut may cost.
    ///   - isInMemory: whether a sync costs nothing, so that none is due before its time.
    mutating func begins(
        at offset: Int64,
        losingAtMost loss: Duration,
        isInMemory: Bool,
        now: ContinuousClock.Instant
    ) -> Bool {
        guard !isUnderWay else { return false }
        // A download that starts over counts anew.
        guard let last, last.offset <= offset else {
            last = (now, offset)
            return false
        }
        let isDue = now - last.time >= loss / 5 * 2 || !isInMemory && offset - last.offset >= Self.mostUnsynced
        guard isDue else { return false }
        self.last = (now, offset)
        isUnderWay = true
        return true
    }

    mutating func ended() {
        isUnderWay = false
    }
}
