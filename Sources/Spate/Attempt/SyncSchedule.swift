/// When the bytes of a running download are synced.
struct SyncSchedule {
    /// How much of a download a power cut may lose.
    let loss: Duration
    /// Whether a sync costs nothing, so that none is due early.
    let isInMemory: Bool
    private var isUnderWay = false
    /// When the last sync began.
    private var last: FetchMachine.Time?
    /// How many bytes have been written since.
    private var unsynced: Int64 = 0

    /// A fast download is synced after this many bytes, so that the disk works in parallel with the network. Otherwise
    /// most of a large file would be left to the last sync, which delays the end.
    static let mostUnsynced: Int64 = 32 << 20

    init(losingAtMost loss: Duration, isInMemory: Bool) {
        (self.loss, self.isInMemory) = (loss, isInMemory)
    }

    /// Whether to begin a sync after `count` more bytes. Only one runs at a time.
    ///
    /// The bytes of one sync count only after the next sync, which writes their mark. So a sync is due after two fifths
    /// of the time; the last fifth is for the syncs themselves.
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
