import Foundation

/// Counts bytes, smooths the speed, and says when progress is due to be told.
struct ProgressMeter {
    private(set) var receivedBytes: Int64 = 0
    private(set) var totalBytes: Int64?
    private var speed = 0.0
    /// How much of the time constant the speed rests on: a young average is scaled up, not drawn towards zero.
    private var weight = 0.0
    private var measured: (time: ContinuousClock.Instant, bytes: Int64)?
    private var told: ContinuousClock.Instant?
    /// Bytes have arrived that were not told of, and will be when the interval is over.
    private var isTellingPlanned = false

    /// The speed forgets with this time constant.
    private static let memory = 3.0
    private static let tellingInterval: Duration = .milliseconds(100)
    /// A timer counts by another clock, which may be a trifle ahead.
    private static let timerTolerance: Duration = .milliseconds(2)

    /// An attempt's bytes begin at this offset: they are counted, but have not arrived at any speed.
    mutating func begin(at offset: Int64, total: Int64?, now: ContinuousClock.Instant) {
        // After a pause the speed is another one; within an attempt, from one response to the next, it goes on.
        if let measured, now - measured.time > .seconds(Self.memory) { (speed, weight) = (0, 0) }
        receivedBytes = offset
        totalBytes = total
        measured = (now, offset)
    }

    /// Bytes have arrived; true when observers should hear of it.
    mutating func advance(to offset: Int64, now: ContinuousClock.Instant) -> Bool {
        receivedBytes = max(receivedBytes, totalBytes.map { min(offset, $0) } ?? offset)
        measure(now: now)
        if let told, now - told < Self.tellingInterval { return false }
        note(toldAt: now)
        return true
    }

    /// How long after bytes that were not told of they must be, though no others follow; `nil` when that has been
    /// planned before. Without it a line that stalls would show what it had a moment earlier, for as long as it stalls.
    mutating func planTelling(now: ContinuousClock.Instant) -> Duration? {
        guard let told, !isTellingPlanned else { return nil }
        isTellingPlanned = true
        return max(.zero, told + Self.tellingInterval - now)
    }

    /// The time of a plan has come; true when nothing has been told since it was made. The timer of an earlier plan, which
    /// bytes were quicker than, must not bring the present one forward.
    mutating func takePlannedTelling(now: ContinuousClock.Instant) -> Bool {
        guard isTellingPlanned, let told, now - told >= Self.tellingInterval - Self.timerTolerance else { return false }
        note(toldAt: now)
        return true
    }

    private mutating func note(toldAt now: ContinuousClock.Instant) {
        told = now
        isTellingPlanned = false
    }

    /// The whole file is here.
    mutating func complete(at size: Int64, now: ContinuousClock.Instant) {
        receivedBytes = size
        totalBytes = size
        measure(now: now)
    }

    func progress(now: ContinuousClock.Instant) -> DownloadProgress {
        guard let measured, weight > 0 else {
            return DownloadProgress(receivedBytes: receivedBytes, totalBytes: totalBytes)
        }
        // Silence since the last bytes lowers the speed: a line that hangs must not show the speed it once had.
        let silence = max((now - measured.time).inSeconds - 1, 0)
        let present = speed / weight * exp(-silence / Self.memory)
        return DownloadProgress(
            receivedBytes: receivedBytes,
            totalBytes: totalBytes,
            bytesPerSecond: present < 1 ? 0 : present
        )
    }

    private mutating func measure(now: ContinuousClock.Instant) {
        guard let last = measured else { return measured = (now, receivedBytes) }
        let seconds = (now - last.time).inSeconds
        // Two readings at nearly the same time would make a speed out of noise.
        guard seconds >= 0.02 else { return }
        let kept = exp(-seconds / Self.memory)
        speed = speed * kept + Double(receivedBytes - last.bytes) / seconds * (1 - kept)
        weight = weight * kept + (1 - kept)
        measured = (now, receivedBytes)
    }
}
