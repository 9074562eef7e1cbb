/// When the bytes of a running download are synced.
struct SyncSchedule {
    /// How much of a download a power cut may cost.
    let loss: Duration
    /// Whether a sync costs nothing, so that none is due before its time.
    let isInMemory: Bool
    private var isUnderWay = false
    /// When the last sync began.
    private var last: FetchMachine.Time?
    /// How much has been written since.
    private var unsynced: Int64 = 0

    /// A fast download is synced after this many bytes, so that the disk works beside the network. Otherwise a large file
    /// would be left to the last sync, which everybody waits for.
    static let mostUnsynced: Int64 = 32 << 20

    init(losingAtMost loss: Duration, isInMemory: Bool) {
        (self.loss, self.isInMemory) = (loss, isInMemory)
    }

    /// Whether a sync begins now that `count` more bytes are written. One is under way at a time.
    ///
    /// What one sync writes counts after the next, which writes the mark for it. So a sync is due after two fifths of the
    /// time; the last fifth is for the syncs themselves.
    mutating func begins(after count: Int, now: FetchMachine.Time) -> Bool {
        unsynced += Int64(count)
        guard let last else {
            last = now
            return false
        }
        guard !isUnderWay, now - last >= loss / 5 * 2 || !isInMemory && unsynced >= Self.mostUnsynced else {
            return false
        }
        self.last = now
        unsynced = 0
        isUnderWay = true
        return true
    }

    mutating func ended() {
        isUnderWay = false
    }
}
