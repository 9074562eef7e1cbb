public import Dispatch
public import Foundation

extension DownloadManager {
    /// The settings of a manager. Every value has a default that suits most programs.
    public struct Configuration: Sendable {
        /// The folder for files. By default `Spate` in the user's downloads folder.
        ///
        /// It is created when the first download needs it.
        public var directory: URL {
            get { chosenDirectory ?? Self.defaultDirectory }
            set { chosenDirectory = newValue }
        }
        // Finding the default reads the user's settings, which a program that sets a folder does not need.
        private var chosenDirectory: URL?
        /// The number of downloads that run at once. By default 3; at least 1.
        public var maxConcurrentDownloads: Int
        /// How many connections fetch one file. By default ``ConnectionCount/automatic``: one, and more where they help.
        public var connectionsPerDownload: ConnectionCount
        /// The most connections of this manager to one host, which is a scheme, a name and a port. By default `nil`: only
        /// ``ConnectionCount/automatic`` holds itself back. At least 1.
        ///
        /// A download whose host has as many waits, takes no slot meanwhile, and lets downloads from other hosts pass. While
        /// one waits, no download opens a further connection to that host. After a redirect a download still counts for
        /// the host of its URL.
        public var maxConnectionsPerHost: Int?
        /// How many bytes per second all downloads together receive. By default `nil`: no limit.
        ///
        /// It is what ``DownloadManager/maxBytesPerSecond`` begins with.
        public var maxBytesPerSecond: Int64?
        /// How often a failed attempt is retried, and after which delay.
        public var retry: RetryPolicy
        /// The time limit for name lookup, connecting and the TLS handshake together. By default 15 seconds.
        public var connectTimeout: Duration
        /// The time limit for a silent server. By default 30 seconds.
        ///
        /// An attempt fails when no byte of the body arrives for this long, or when the response's headers are not
        /// complete by then.
        public var stallTimeout: Duration
        /// Headers sent with every request, such as `User-Agent`.
        ///
        /// If one of them cannot be sent, every download fails with ``DownloadError/Code/badHeader``.
        public var headers: [String: String]
        /// Names of ``headers`` that are not sent to another origin after a redirect. Letter case is ignored.
        ///
        /// `Authorization`, `Cookie` and headers with names like a secret's need not be listed; see
        /// ``DownloadRequest/headers``.
        public var privateHeaders: Set<String>
        /// Cookies that each request gets where they are for: those that follow a redirect, and those to mirrors, too. By
        /// default none.
        ///
        /// A request with a header `Cookie`, of its own or in ``headers``, gets none of these. If one of them cannot be
        /// sent, every download fails with ``DownloadError/Code/badHeader``.
        public var cookies: [DownloadCookie]
        /// Prepares the request of each attempt: a fresh signed URL, a fresh token. By default `nil`: requests are sent as
        /// they were enqueued.
        ///
        /// It is called when an attempt begins and the file is not complete on disk, or is to be checked for an update, with the request as it was enqueued
        /// and why this attempt is made. The attempt has its slot by then. What it returns may have another URL and other
        /// headers; other changes are ignored. The download stays known by the URL that it was enqueued with, which also
        /// names its file, and goes on at the bytes that are on disk if the response proves that they belong to the same
        /// file.
        ///
        /// What it returns is sent to the URL that it returned, on all connections of the attempt, and is never stored.
        /// Messages name the enqueued URL, and of another one its host and port at most. Headers that it adds or changes
        /// count as private: after a redirect they are not sent to another origin. A user and password are those in the
        /// returned URL.
        ///
        /// After a status of 401, 403, 404 or 410 another attempt, with a fresh call, follows at once, whatever ``retry``
        /// says. The second time in a row that is a failure, until bytes have arrived or the download was resumed by hand.
        ///
        /// What it throws is the ``DownloadError/underlying`` of an error with the code ``DownloadError/Code/prepare``.
        /// Another attempt follows as ``retry`` says, unless it threw a ``DownloadError`` that is not retryable.
        ///
        /// It runs in a task of its own, in Swift's pool, so it must not block its thread; without it, downloads need no
        /// thread of that pool. Pausing, cancelling and deleting cancel that task and do not wait for it. What it returns
        /// after that is dropped.
        public var prepare: (@Sendable (DownloadRequest, DownloadAttempt) async throws -> DownloadRequest)?
        /// Whether finished files get the time at which the server says that they were changed (`Last-Modified`). By
        /// default false: they have the time at which they were written.
        public var keepsServerTime: Bool
        /// Whether the queue survives the process. By default false: ``DownloadManager/restore()`` brings back partial files.
        ///
        /// If true, what was enqueued and has not ended is in a journal, a hidden file in ``directory`` that is written
        /// before `download` returns and synced within a second. ``DownloadManager/restore()`` of a later process, or of a
        /// manager made after this one has gone, then brings back what only waited or was paused, too. A download that
        /// finished, failed, or was cancelled or deleted has ended. See <doc:KeepingTheQueue>.
        ///
        /// Neither headers nor user and password are written, and the journal is removed when nothing is left to do. If it
        /// cannot be written, downloads run all the same; ``DownloadManager/queueFailure`` says why.
        public var keepsQueue: Bool
        /// The queue on which closures and the delegate are called. By default a private serial queue.
        ///
        /// A concurrent queue does not keep the order of the calls.
        public var callbackQueue: DispatchQueue
        /// A PEM file of certificates to trust instead of the system's; `nil`, the default, trusts the system's.
        ///
        /// If the file cannot be used, every `https` download fails with ``DownloadError/Code/tls``.
        public var certificateAuthorities: URL?
        /// The network interface or local address to send from; `nil`, the default, leaves it to the system.
        public var networkInterface: String?
        /// How much of a running download a power cut may cost. By default 10 seconds.
        ///
        /// The file is synced each time two fifths of this are over, and a fast download every 32 MiB as well. A power
        /// cut costs what came since the sync before the last, so a disk on which a sync takes longer than a fifth of
        /// this may lose more.
        public var syncInterval: Duration

        /// Creates a configuration with all defaults, as ``DownloadManager/shared`` has.
        public init() {
            maxConcurrentDownloads = 3
            connectionsPerDownload = .automatic
            maxConnectionsPerHost = nil
            maxBytesPerSecond = nil
            retry = RetryPolicy()
            connectTimeout = .seconds(15)
            stallTimeout = .seconds(30)
            headers = [:]
            privateHeaders = []
            cookies = []
            prepare = nil
            keepsServerTime = false
            keepsQueue = false
            callbackQueue = DispatchQueue(label: "spate.callbacks")
            certificateAuthorities = nil
            networkInterface = nil
            syncInterval = .seconds(10)
        }

        /// Creates a configuration with a folder for files, and the defaults for everything else.
        public init(directory: URL) {
            self.init()
            self.directory = directory
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
