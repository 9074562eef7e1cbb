import Dispatch
import Locking

/// Those who hear of all downloads of a manager. While there are none, telling them costs a lock.
final class Audience: Sendable {
    private struct Members {
        var listeners: [WeakListener] = []
        var delegate: DelegateListener?
    }

    private let members = Locked(Members())
    /// Where closures run.
    let callbackQueue: DispatchQueue

    init(callbackQueue: DispatchQueue) {
        self.callbackQueue = callbackQueue
    }

    var isEmpty: Bool { members.withLock { $0.listeners.isEmpty && $0.delegate == nil } }

    var delegate: DelegateListener? {
        get { members.withLock { $0.delegate } }
        set {
            let old = members.withLock { members in
                defer { members.delegate = newValue }
                return members.delegate
            }
            // Released here, for a listener must not go away within the lock.
            withExtendedLifetime(old) {}
        }
    }

    func add(_ listener: any DownloadListener) {
        members.withLock { $0.listeners.append(WeakListener(listener: listener)) }
    }

    /// Called under the lock of the download.
    func hear(_ event: DownloadEvent, of download: Download) {
        let (listeners, delegate) = members.withLock { ($0.listeners, $0.delegate) }
        var areGone = false
        for entry in listeners {
            if let listener = entry.listener { listener.hear(event, of: download) } else { areGone = true }
        }
        delegate?.hear(event, of: download)
        if areGone { members.withLock { $0.listeners.removeAll { $0.listener == nil } } }
    }

    func close() {
        let listeners = members.withLock { members in
            defer { members.listeners = [] }
            return members.listeners
        }
        for entry in listeners { entry.listener?.close() }
    }
}
