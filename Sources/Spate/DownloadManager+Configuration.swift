public import Dispatch
public import Foundation

extension DownloadManager {
    /// How a manager works. Every value has a default that suits most programs.
    public struct Configuration: Sendable {
        /// Where files go: the folder `Spate` in the user's downloads folder unless set. Made when the first
        /// download needs it.
        public var directory: URL {
            get { chosenDirectory ?? Self.defaultDirectory }
            set { chosenDirectory = newValue }
        }
        // Where the default is takes a search through the user's settings; most who set one of their own need none.
        private var chosenDirectory: URL?
        /// How many downloads run at once: 3 unless set; at least 1.
        public var maxConcurrentDownloads: Int
        /// When a download is tried again, and when it is given up.
        public var retry: RetryPolicy
        /// The longest that looking up the host, connecting and the TLS handshake may take together: 15 seconds
        /// unless set.
        public var connectTimeout: Duration
        /// An attempt ends when no byte of the body arrived for this long, or the response's head is not complete
        /// by then: 30 seconds unless set.
        public var stallTimeout: Duration
        /// Header fields sent with every request. `User-Agent` may be one of them. With one that cannot be sent every
        /// download fails with ``DownloadError/Code/badHeader``.
        public var headers: [String: String]
        /// Names of ``headers`` that must not travel to another origin, besides those that never do.
        public var privateHeaders: Set<String>
        /// Where closures and the delegate are called: a private serial queue unless set. On a concurrent queue their
        /// order is not kept.
        public var callbackQueue: DispatchQueue
        /// A file of certificates (PEM) to trust instead of the system's. With one that cannot be used every download over
        /// `https` fails with ``DownloadError/Code/tls``.
        public var certificateAuthorities: URL?
        /// The network interface or local address to send from; the system's choice unless set.
        public var networkInterface: String?
        /// How often the data of a running download is synced to the disk: every 10 seconds unless set.
        ///
        /// A power cut costs at most this much of a download. A fast download is synced more often, every 32 MiB.
        public var syncInterval: Duration

        /// The configuration of ``DownloadManager/shared``: every value is its default.
        public init() {
            maxConcurrentDownloads = 3
            retry = RetryPolicy()
            connectTimeout = .seconds(15)
            stallTimeout = .seconds(30)
            headers = [:]
            privateHeaders = []
            callbackQueue = DispatchQueue(label: "spate.callbacks")
            certificateAuthorities = nil
            networkInterface = nil
            syncInterval = .seconds(10)
        }

        private static var defaultDirectory: URL {
            let downloads =
                FileManager.default.urls(for: .downloadsDirectory, in: .userDomainMask).first
                ?? URL(fileURLWithPath: NSHomeDirectory(), isDirectory: true)
                .appendingPathComponent("Downloads", isDirectory: true)
            return downloads.appendingPathComponent("Spate", isDirectory: true)
        }

        /// The earlier name of ``syncInterval``.
        @available(*, deprecated, renamed: "syncInterval")
        public var flushInterval: Duration {
            get { syncInterval }
            set { syncInterval = newValue }
        }
    }
}
