public import Foundation
import SpateLocking

/// An object that is notified about all downloads of a manager. Every method has a default that does nothing.
///
/// The methods are called on ``DownloadManager/Configuration/callbackQueue``. On a serial queue, the default, the calls
/// come one after the other, and for each download in the order of events. Set the delegate before enqueueing: it is
/// called only for later events.
///
///     @MainActor final class DownloadScreen: DownloadManagerDelegate {
///         // The manager's callbackQueue is .main.
///         nonisolated func download(_ download: Download, didFinishAt file: URL) {
///             MainActor.assumeIsolated { rows[download.url]?.check() }
///         }
///     }
///
///     manager.delegate = screen
public protocol DownloadManagerDelegate: AnyObject, Sendable {
    /// The download is now in this state. A new download begins by waiting, unless it ends at once. For an end, this
    /// method is called before the method for that end.
    func download(_ download: Download, didChangeTo state: DownloadState)

    /// More bytes have arrived. Called at most ten times a second for each download, and once before its end. A slow
    /// delegate gets only the newest progress.
    func download(_ download: Download, didReceive progress: DownloadProgress)

    /// The complete file is at this URL. The last call for this download.
    func download(_ download: Download, didFinishAt file: URL)

    /// The download failed, with the code ``DownloadError/Code/cancelled`` if it was cancelled or deleted. The
    /// last call for this download.
    func download(_ download: Download, didFailWith error: DownloadError)
}

extension DownloadManagerDelegate {
    public func download(_ download: Download, didChangeTo state: DownloadState) {}
    public func download(_ download: Download, didReceive progress: DownloadProgress) {}
    public func download(_ download: Download, didFinishAt file: URL) {}
    public func download(_ download: Download, didFailWith error: DownloadError) {}
}

extension DownloadManager {
    /// The object that is notified about this manager's downloads; held weakly, `nil` unless set.
    ///
    /// May be set from any thread. Earlier calls that are already on their way still reach the former delegate.
    public var delegate: (any DownloadManagerDelegate)? {
        get { delegation.withLock { $0.delegate } }
        set {
            let observer = newValue.map { delegate in
                QueueObserver(on: configuration.callbackQueue) { [weak delegate] in delegate?.handle($1, of: $0) }
            }
            let old = delegation.withLock { delegation in
                defer { delegation = Delegation(delegate: newValue, observer: observer) }
                return delegation.observer
            }
            observers.replace(old, by: observer)
        }
    }
}

/// A manager's delegate, and its observer.
struct Delegation {
    weak var delegate: (any DownloadManagerDelegate)?
    var observer: QueueObserver?
}

extension DownloadManagerDelegate {
    fileprivate func handle(_ event: DownloadEvent, of download: Download) {
        switch event {
        case .progress(let progress): self.download(download, didReceive: progress)
        case .state(let state):
            self.download(download, didChangeTo: state)
            switch state.result(of: download) {
            case .success(let file): self.download(download, didFinishAt: file)
            case .failure(let error): self.download(download, didFailWith: error)
            case nil: break
            }
        }
    }
}
