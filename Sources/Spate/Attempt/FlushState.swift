import HTTPResumption
import PartialFiles

/// When bytes were last brought to the medium, and what waits for that to end.
struct FlushState {
    var isUnderWay = false
    var lastTime: ContinuousClock.Instant?
    /// What follows the last transfer, held back until the file may be closed, or is known to be fit for its place.
    var postponed: AttemptCourse.Conclusion?
    /// A flush that failed is not tried again: what it was to save may be lost, though a second would say otherwise.
    var failure: FileSystemError?
}

extension AttemptCourse {
    /// Whether it is time to flush; then the caller must do so.
    mutating func flushIsDue(every interval: Duration, now: ContinuousClock.Instant) -> Bool {
        guard !flushing.isUnderWay, flushing.failure == nil else { return false }
        guard let last = flushing.lastTime else {
            flushing.lastTime = now
            return false
        }
        guard now - last >= interval else { return false }
        flushing.lastTime = now
        flushing.isUnderWay = true
        return true
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
