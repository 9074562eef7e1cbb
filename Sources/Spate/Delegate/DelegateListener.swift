import Dispatch

/// Passes what happens on to a delegate, on the queue for closures.
final class DelegateListener: DownloadListener {
    weak let delegate: (any DownloadManagerDelegate)?
    private let queue: DispatchQueue

    init(_ delegate: any DownloadManagerDelegate, queue: DispatchQueue) {
        self.delegate = delegate
        self.queue = queue
    }

    func hear(_ event: DownloadEvent, of download: Download) {
        // Asked for within the block: an event on its way must not keep a delegate that nobody else holds.
        queue.async { [self] in
            guard let delegate else { return }
            switch event {
            case .progress(let progress): delegate.download(download, didReceive: progress)
            case .state(let state):
                delegate.download(download, didChangeTo: state)
                switch state {
                case .finished(let file): delegate.download(download, didFinishAt: file)
                case .failed(let error): delegate.download(download, didFailWith: error)
                case .cancelled: delegate.download(download, didFailWith: .wasCancelled)
                case .waiting, .running, .paused: break
                }
            }
        }
    }
}
