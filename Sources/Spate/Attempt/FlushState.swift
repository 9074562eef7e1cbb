import HTTPResumption
import PartialFiles

/// When bytes were last brought to the medium, and what waits for that to end.
struct FlushState {
    var isUnderWay = false
    /// When the last one began, and how far the file had been written by then.
    var last: (time: ContinuousClock.Instant, offset: Int64)?
    /// What follows the last transfer, held back until the file may be closed, or is known to be fit for its place.
    var postponed: AttemptCourse.Conclusion?
    /// A flush that failed is not tried again: what it was to save may be lost, though a second would say otherwise.
    var failure: FileSystemError?
}

extension FlushState {
    /// So many bytes are flushed before their time has come. Otherwise a fast line leaves a whole large file to the last
    /// flush, which everybody waits for: this way the disk works beside the network.
    static let mostUnflushed: Int64 = 32 << 20

    /// Whether to flush now, when the file has been written up to this offset.
    mutating func begins(
        every interval: Duration,
        reached: Int64,
        isSlow: Bool,
        now: ContinuousClock.Instant
    ) -> Bool {
        guard !isUnderWay, failure == nil else { return false }
        // A download that starts over counts anew.
        guard let last = self.last, last.offset <= reached else {
            self.last = (now, reached)
            return false
        }
        guard now - last.time >= interval || isSlow && reached - last.offset >= Self.mostUnflushed else { return false }
        self.last = (now, reached)
        isUnderWay = true
        return true
    }
}

extension AttemptCourse {
    /// Whether it is time to flush what reaches up to this offset; then the caller must do so.
    mutating func flushIsDue(through offset: Int64, every interval: Duration, now: ContinuousClock.Instant) -> Bool {
        let isSlow = file.map { !$0.isInMemory } ?? false
        return flushing.begins(every: interval, reached: offset, isSlow: isSlow, now: now)
    }

    /// The file, and up to where it has been written.
    var flushTarget: (PartialFile, Int64)? {
        file.map { ($0, reached) }
    }

    /// A flush has ended; what follows, where that was waiting for it.
    mutating func flushed(_ result: Result<Void, FileSystemError>) -> Conclusion? {
        flushing.isUnderWay = false
        if case .failure(let error) = result, let file {
            flushing.failure = error
            // Back to the mark: what lies beyond it may not be what was written.
            let mark = min(file.durableOffset, reached)
            try? file.truncate(to: mark)
            held = HeldBytes(length: mark, total: held.total, validator: held.validator, encoding: held.encoding)
            next = .fail(DownloadError(writing: error))
        }
        guard let postponed = flushing.postponed.take() else { return nil }
        return flushing.failure.map { .end(.failed(DownloadError(writing: $0))) } ?? postponed
    }

    /// Holds back what follows while a flush is under way.
    mutating func postpone(_ conclusion: Conclusion) -> Bool {
        guard flushing.isUnderWay else { return false }
        flushing.postponed = conclusion
        return true
    }
}
