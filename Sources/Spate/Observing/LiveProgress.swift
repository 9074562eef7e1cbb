import Foundation
import SpateLocking
import SpateTiming

/// A `Progress` that reads its values from a source.
///
/// Foundation's `Progress` has no lock on Linux. The overridden properties read the source, on any thread. The fraction
/// and the parent's share, which cannot be overridden, are updated on one queue.
final class LiveProgress: Progress, @unchecked Sendable {
    // Unchecked because Progress has no lock; see above.

    private let source: any ProgressSource
    private let extras = Locked<[ProgressUserInfoKey: Any]>([:])
    /// Observes the downloads while this object lives.
    let updater: ProgressUpdater

    /// The superclass's total. A parent adds the fractions of its children over a common denominator. For sizes in
    /// bytes none fits, and the parent would lose a little with each step.
    private static let steps: Int64 = 1 << 20

    init(_ source: any ProgressSource, _ updater: ProgressUpdater) {
        (self.source, self.updater) = (source, updater)
        super.init(parent: nil, userInfo: nil)
        updater.progress = self
        kind = .file
        isCancellable = true
        isPausable = true
        super.totalUnitCount = Self.steps
        update()
    }

    deinit {
        source.remove(updater)
    }

    /// Updates the fraction, and with it a parent.
    func update() {
        let reading = source.reading
        // The last step is for the end: a parent drops a complete child.
        let step = Int64(reading.fraction * Double(Self.steps))
        super.completedUnitCount = reading.isFinished ? Self.steps : min(max(step, 0), Self.steps - 1)
    }

    override var completedUnitCount: Int64 {
        get { source.reading.progress.receivedBytes }
        set {}
    }

    override var totalUnitCount: Int64 {
        get { source.reading.progress.totalBytes ?? -1 }
        set {}
    }

    override var isIndeterminate: Bool { source.reading.progress.totalBytes == nil }
    override var isFinished: Bool { source.reading.isFinished }

    override var isPaused: Bool {
        get { source.reading.isPaused }
        set {}
    }

    override var isCancelled: Bool {
        get { source.reading.isCancelled }
        set {}
    }

    // The superclass calls handlers on a concurrent queue, where a resume may overtake a pause. These act directly.

    override func pause() {
        source.pause()
        super.pause()
    }

    override func resume() {
        source.resume()
        super.resume()
    }

    override func cancel() {
        source.cancel()
        super.cancel()
    }

    override var localizedDescription: String { source.title }
    override var localizedAdditionalDescription: String { source.reading.progress.description }

    override var userInfo: [ProgressUserInfoKey: Any] {
        let reading = source.reading
        var info: [ProgressUserInfoKey: Any] = [
            .fileOperationKindKey: Progress.FileOperationKind.downloading,
            .fileTotalCountKey: NSNumber(value: reading.fileTotalCount),
            .fileCompletedCountKey: NSNumber(value: reading.fileCompletedCount),
        ]
        info[.fileURLKey] = reading.file
        if reading.progress.bytesPerSecond > 0 {
            info[.throughputKey] = NSNumber(value: Int64(min(reading.progress.bytesPerSecond, 1e18)))
        }
        if let time = reading.timeRemaining { info[.estimatedTimeRemainingKey] = NSNumber(value: time.inSeconds) }
        extras.withLock { info.merge($0) { _, extra in extra } }
        return info
    }

    override func setUserInfoObject(_ object: Any?, forKey key: ProgressUserInfoKey) {
        extras.withLock { $0[key] = object }
    }
}
