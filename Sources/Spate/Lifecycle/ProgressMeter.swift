import Foundation
import Timing

/// Counts bytes, smooths the speed, and says when progress is to be reported.
struct ProgressMeter {
    private(set) var receivedBytes: Int64 = 0
    private(set) var totalBytes: Int64?
    /// How many bytes have arrived that were not taken.
    private var arrived: Int64 = 0
    var connectionCount = 0
    private var speed = 0.0
    /// The weight of the average so far. A young average is scaled up, so that it does not start near zero.
    private var weight = 0.0
    private var measured: (time: ContinuousClock.Instant, bytes: Int64)?
    private var reported: ContinuousClock.Instant?
    /// Bytes have arrived that were not reported, and will be when the interval is over.
    private var isReportPlanned = false

    /// The time constant of the average, in seconds.
    private static let memory = 3.0
    private static let reportInterval: Duration = .milliseconds(100)
    /// A timer uses another clock, which may be slightly ahead.
    private static let timerTolerance: Duration = .milliseconds(2)

    /// So much is on disk before anything was asked; false if an attempt has found out more.
    mutating func find(_ size: Int64, of total: Int64?) -> Bool {
        guard measured == nil, receivedBytes == 0 else { return false }
        // Somebody may have appended to the file.
        (receivedBytes, totalBytes) = (total.map { min(size, $0) } ?? size, total)
        return true
    }

    /// A body is written from this offset on. The bytes before it count, but not for the speed.
    mutating func begin(at offset: Int64, total: Int64?, now: ContinuousClock.Instant) {
        // After a pause the speed starts anew; from one response to the next it goes on.
        if let measured, now - measured.time > .seconds(Self.memory) { (speed, weight) = (0, 0) }
        receivedBytes = offset
        totalBytes = total
        measured = (now, offset)
        connectionCount = max(1, connectionCount)
    }

    /// Bytes have arrived; true if the observers are notified now.
    mutating func advance(to offset: Int64, now: ContinuousClock.Instant) -> Bool {
        let before = receivedBytes
        receivedBytes = max(receivedBytes, totalBytes.map { min(offset, $0) } ?? offset)
        arrived += receivedBytes - before
        measure(now: now)
        if let reported, now - reported < Self.reportInterval { return false }
        (self.reported, isReportPlanned) = (now, false)
        return true
    }

    /// When the bytes that were not reported must be, even if no others follow; `nil` if that is planned already. Without
    /// it a connection that stalls would show what it had a moment earlier, for as long as it stalls.
    mutating func planReport(now: ContinuousClock.Instant) -> Duration? {
        guard let reported, !isReportPlanned else { return nil }
        isReportPlanned = true
        return max(.zero, reported + Self.reportInterval - now)
    }

    /// The time of a planned report has come; true if nothing has been reported since it was planned. The timer of an
    /// earlier plan must not bring the present one forward.
    mutating func takePlannedReport(now: ContinuousClock.Instant) -> Bool {
        guard isReportPlanned, let reported, now - reported >= Self.reportInterval - Self.timerTolerance else {
            return false
        }
        (self.reported, isReportPlanned) = (now, false)
        return true
    }

    /// Gives up a planned report; true if there was one.
    mutating func dropPlannedReport() -> Bool {
        defer { isReportPlanned = false }
        return isReportPlanned
    }

    /// How many bytes have arrived since the last call. Those that were there before an attempt are not among them.
    mutating func takeArrived() -> Int64 {
        defer { arrived = 0 }
        return arrived
    }

    /// The whole file is here.
    mutating func complete(at size: Int64, now: ContinuousClock.Instant) {
        receivedBytes = size
        totalBytes = size
        measure(now: now)
    }

    func progress(now: ContinuousClock.Instant) -> DownloadProgress {
        guard let measured, weight > 0 else {
            return DownloadProgress(
                receivedBytes: receivedBytes,
                totalBytes: totalBytes,
                connectionCount: connectionCount
            )
        }
        // Silence since the last bytes lowers the speed: a line that hangs must not show the speed it once had.
        let silence = max((now - measured.time).inSeconds - 1, 0)
        let present = speed / weight * exp(-silence / Self.memory)
        return DownloadProgress(
            receivedBytes: receivedBytes,
            totalBytes: totalBytes,
            bytesPerSecond: present < 1 ? 0 : present,
            connectionCount: connectionCount
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
