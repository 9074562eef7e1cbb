public import Foundation

/// Hears what happens to all downloads of a manager. Every method has a default that does nothing.
///
/// The methods are called on ``DownloadManager/Configuration/callbackQueue``, after one another and for each download in
/// the order in which things happened, provided that it is a serial queue, as it is unless set. They hear of what happens
/// while the delegate is set; what a download was before is in its ``Download/state``. Set it before enqueueing.
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
    /// The download is now in this state; a new one begins by waiting, unless its end is known at once. Ends are told
    /// here, too, before the method for them.
    func download(_ download: Download, didChangeTo state: DownloadState)

    /// More bytes are there: at most ten times a second for each download, and once before its end.
    func download(_ download: Download, didReceive progress: DownloadProgress)

    /// The whole file is at this place. Called once, last of all for this download.
    func download(_ download: Download, didFinishAt file: URL)

    /// The download ended without a file: it failed, or was cancelled or deleted, which is an error of the code
    /// ``DownloadError/Code/cancelled``. Called once, last of all for this download.
    func download(_ download: Download, didFailWith error: DownloadError)
}

extension DownloadManagerDelegate {
    public func download(_ download: Download, didChangeTo state: DownloadState) {}
    public func download(_ download: Download, didReceive progress: DownloadProgress) {}
    public func download(_ download: Download, didFinishAt file: URL) {}
    public func download(_ download: Download, didFailWith error: DownloadError) {}
}

extension DownloadManager {
    /// Who hears what happens to this manager's downloads; held weakly, `nil` unless set.
    ///
    /// May be set from any thread. Calls that were on their way to the delegate before still reach it.
    public var delegate: (any DownloadManagerDelegate)? {
        get { audience.delegate?.delegate }
        set { audience.delegate = newValue.map { DelegateListener($0, queue: configuration.callbackQueue) } }
    }
}
