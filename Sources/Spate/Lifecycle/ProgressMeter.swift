import Foundation
import SpateTiming

/// Counts bytes, smooths the speed, and decides when to report progress.
struct ProgressMeter {
    private(set) var receivedBytes: Int64 = 0
    private(set) var totalBytes: Int64?
    /// The arrived bytes since `takeArrived()`.
    private var arrived: Int64 = 0
    var connectionCount = 0
    private var speed = 0.0
    /// The weight of the average so far. A young average is scaled up, so that it does not start near zero.
    private var weight = 0.0
    private var measured: (time: Duration, bytes: Int64)?
    private var reported: Duration?
    /// Whether unreported bytes have arrived, with a report planned at the end of the interval.
    private var isReportPlanned = false

    /// The time constant of the average, in seconds.
    private static let memory = 3.0
    private static let reportInterval: Duration = .milliseconds(100)
    /// A timer uses another clock, which may be slightly ahead.
    private static let timerTolerance: Duration = .milliseconds(2)

    /// This many bytes are on disk before the first request; false if an attempt knows better.
    mutating func find(_ size: Int64, of total: Int64?) -> Bool {
        guard measured == nil, receivedBytes == 0 else { return false }
        // The file may have been extended.
        (receivedBytes, totalBytes) = (min(size, total ?? size), total)
        return true
    }

    /// Writing begins at this offset. The bytes before it count, but not for the speed.
    mutating func begin(at offset: Int64, total: Int64?, now: ContinuousClock.Instant) {
        let now = now.stored
        // After a pause the speed starts over; from one response to the next it continues.
        if let measured, now - measured.time > .seconds(Self.memory) { (speed, weight) = (0, 0) }
        receivedBytes = offset
        totalBytes = total
        measured = (now, offset)
        connectionCount = max(1, connectionCount)
    }

    /// Bytes have arrived; true if the observers are notified now.
    ///
    /// - Parameter isAll: whether it was the whole file at once. It is reported with its end, which follows.
    mutating func advance(
        to offset: Int64,
        isAll: Bool = false,
        now: @autoclosure () -> ContinuousClock.Instant
    ) -> Bool {
        let before = receivedBytes
        receivedBytes = max(receivedBytes, totalBytes.map { min(offset, $0) } ?? offset)
        arrived += receivedBytes - before
        if isAll { return false }
        let now = now().stored
        measure(now: now)
        if let reported, now - reported < Self.reportInterval { return false }
        (self.reported, isReportPlanned) = (now, false)
        return true
    }

    /// When to report unreported bytes, even if no others follow; `nil` if that is planned already. Otherwise a stalled
    /// connection would show an outdated count for as long as it stalls.
    mutating func planReport(now: @autoclosure () -> ContinuousClock.Instant) -> Duration? {
        guard let reported, !isReportPlanned else { return nil }
        isReportPlanned = true
        return max(.zero, reported + Self.reportInterval - now().stored)
    }

    /// The time of a planned report has come; true if nothing has been reported since it was planned. The timer of an
    /// earlier plan must not trigger the present one early.
    mutating func takePlannedReport(now: ContinuousClock.Instant) -> Bool {
        guard isReportPlanned, let reported, now.stored - reported >= Self.reportInterval - Self.timerTolerance else {
            return false
        }
        (self.reported, isReportPlanned) = (now.stored, false)
        return true
    }

    /// Drops a planned report; true if there was one.
    mutating func dropPlannedReport() -> Bool {
        defer { isReportPlanned = false }
        return isReportPlanned
    }

    /// How many bytes have arrived since the last call, without the bytes from before an attempt.
    mutating func takeArrived() -> Int64 {
        defer { arrived = 0 }
        return arrived
    }

    /// The whole file is on disk.
    mutating func complete(at size: Int64, now: ContinuousClock.Instant) {
        receivedBytes = size
        totalBytes = size
        measure(now: now.stored)
    }

    func progress(now: ContinuousClock.Instant) -> DownloadProgress {
        DownloadProgress(
            receivedBytes: receivedBytes,
            totalBytes: totalBytes,
            bytesPerSecond: bytesPerSecond(now: now.stored),
            connectionCount: connectionCount
        )
    }

    private func bytesPerSecond(now: Duration) -> Double {
        guard let measured, weight > 0 else { return 0 }
        // Silence since the last bytes lowers the speed: a stalled connection must not show its former speed.
        let silence = max((now - measured.time).inSeconds - 1, 0)
        let present = speed / weight * exp(-silence / Self.memory)
        return present < 1 ? 0 : present
    }

    private mutating func measure(now: Duration) {
        guard let last = measured else { return measured = (now, receivedBytes) }
        let time = now - last.time
        // Two readings at nearly the same time would only measure noise.
        guard time >= .milliseconds(20) else { return }
        let seconds = time.inSeconds
        let kept = exp(-seconds / Self.memory)
        speed = speed * kept + Double(receivedBytes - last.bytes) / seconds * (1 - kept)
        weight = weight * kept + (1 - kept)
        measured = (now, receivedBytes)
    }
}
