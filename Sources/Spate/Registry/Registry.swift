import HTTPResumption

/// Which downloads a manager knows, which names they have taken, and which attempts hold a file.
struct Registry {
    private var known: [HTTPURL: Download] = [:]
    /// The operations that run, or are about to let go of their file although their download has gone on.
    private(set) var executing: [HTTPURL: DownloadOperation] = [:]
    /// Those that wait for one of these to let go of its file, and are in no queue yet: of each download the last.
    private var successors: [HTTPURL: QueuedAttempt] = [:]
    var names = NameClaims()
    private var lastSerial: UInt64 = 0

    mutating func nextSerial() -> UInt64 {
        lastSerial += 1
        return lastSerial
    }

    /// It may have ended a moment ago: to ask it here would take its lock within the registry's, and a download takes
    /// them the other way round.
    func known(_ key: HTTPURL) -> Download? { known[key] }

    var all: [Download] { known.values.sorted { $0.serial < $1.serial } }

    mutating func insert(_ download: Download, key: HTTPURL) {
        known[key] = download
    }

    /// Forgets this very download: one that has come after it under the same URL stays.
    mutating func remove(_ download: Download) {
        guard let key = download.key, known[key] === download else { return }
        known[key] = nil
        names.release(key)
    }

    mutating func started(_ operation: DownloadOperation, of key: HTTPURL) {
        executing[key] = operation
    }

    /// Whether an attempt may go into the queue now. One that may not is given back by the end of the one that holds
    /// the file, unless another has come after it: then nobody wants it any more.
    mutating func admits(_ attempt: QueuedAttempt, of key: HTTPURL) -> Bool {
        if executing[key] == nil { return true }
        successors[key] = attempt
        return false
    }

    /// The file is free: returns what has waited for it, which may go into the queue now.
    mutating func ended(_ operation: DownloadOperation, of key: HTTPURL) -> QueuedAttempt? {
        guard executing[key] === operation else { return nil }
        executing[key] = nil
        // It may have claimed a name when its download was forgotten already.
        if known[key] == nil { names.release(key) }
        return successors.removeValue(forKey: key)
    }
}
