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
        // Finding the default reads the user's settings. A program that sets a folder does not need that.
        private var chosenDirectory: URL?
        /// How many downloads run at once. By default exactly 3.
        ///
        /// ``DownloadManager/concurrency`` begins with this value.
        public var concurrency = DownloadConcurrency.exactly(3)
        /// Called when another number of downloads may run at once. By default `nil`.
        ///
        /// It is called on ``callbackQueue``, some times a second at most.
        public var concurrencyChanged: (@Sendable (ConcurrencyChange) -> Void)?
        /// The most downloads at once, the number of ``concurrency``. Setting it makes that exact.
        public var maxConcurrentDownloads: Int {
            get { concurrency.most }
            set { concurrency = .exactly(newValue) }
        }
        /// How many connections fetch one file. By default ``ConnectionCount/automatic``: one, and more if they help.
        public var connectionsPerDownload = ConnectionCount.automatic
        /// The most connections of this manager to one host, which is a scheme, a name and a port. By default `nil`:
        /// only ``ConnectionCount/automatic`` limits itself. At least 1.
        ///
        /// Further downloads from the host wait without a slot, and downloads from other hosts pass. While one waits,
        /// no download opens another connection to that host. After a redirect, a download still counts for the host of
        /// its URL.
        public var maxConnectionsPerHost: Int?
        /// The limit for the received bytes per second of all downloads together. By default `nil`: no limit.
        ///
        /// ``DownloadManager/maxBytesPerSecond`` begins with this value.
        public var maxBytesPerSecond: Int64?
        /// How often a failed attempt is retried, and after which delay.
        public var retry = RetryPolicy()
        /// The time limit for name lookup, connecting and the TLS handshake together. By default 15 seconds.
        ///
        /// A download that waits for another's connection, to share it over HTTP/2, waits a quarter longer at most.
        public var connectTimeout = Duration.seconds(15)
        /// The time limit for a silent server. By default 30 seconds.
        ///
        /// An attempt fails when no byte of the body arrives for this long, or when the response's headers are not
        /// complete by then.
        public var stallTimeout = Duration.seconds(30)
        /// Headers sent with every request, such as `User-Agent`.
        ///
        /// If one of them cannot be sent, every download fails with ``DownloadError/Code/badHeader``.
        public var headers: [String: String] = [:]
        /// Names of ``headers`` that are not sent to another origin after a redirect. Letter case is ignored.
        ///
        /// `Authorization`, `Cookie` and headers with names like a secret's need not be listed; see
        /// ``DownloadRequest/headers``.
        public var privateHeaders: Set<String> = []
        /// Cookies for all requests that they match, including redirects and mirrors. By default none.
        ///
        /// A request with a `Cookie` header, of its own or in ``headers``, gets none of these. If a cookie cannot be
        /// sent, every download fails with ``DownloadError/Code/badHeader``.
        public var cookies: [DownloadCookie] = []
        /// Prepares the request of each attempt: a fresh signed URL, a fresh token. By default `nil`: requests are sent
        /// as enqueued.
        ///
        /// It is called when an attempt begins, with the enqueued request and the reason for the attempt, unless the
        /// file is already complete on disk and need not be checked for an update. The attempt holds its slot by then.
        /// The closure may change the URL and the headers; other changes are ignored. The enqueued URL still identifies
        /// the download and names its file. The download resumes from the bytes on disk if the response proves that
        /// they belong to the same file.
        ///
        /// The prepared request is used on all connections of the attempt, and is never stored. Messages name the
        /// enqueued URL, and at most the host and port of another. Headers that the closure adds or changes count as
        /// private: after a redirect they are not sent to another origin. User and password come from the returned URL.
        ///
        /// After a status of 400, 401, 403, 404 or 410, another attempt with a fresh call follows at once, whatever
        /// ``retry`` says. A second time in a row is a failure, until bytes arrive or the download is resumed by hand.
        ///
        /// What it throws is the ``DownloadError/underlying`` of an error with the code ``DownloadError/Code/prepare``.
        /// ``retry`` then decides about another attempt, unless it threw a ``DownloadError`` that is not retryable.
        ///
        /// It runs in its own task, in Swift's pool, so it must not block its thread; without it, downloads need no
        /// thread of that pool. Pausing, cancelling and deleting cancel that task without waiting for it, and ignore
        /// its result.
        public var prepare: (@Sendable (DownloadRequest, DownloadAttempt) async throws -> DownloadRequest)?
        /// Which redirects are followed. By default at most twenty in a row, to any host.
        ///
        /// Another one fails with ``DownloadError/Code/redirect``. From `https` to `http` none is followed, unless the request
        /// has ``DownloadRequest/allowsInsecureRedirects``.
        public var redirects = RedirectPolicy.follow
        /// To which addresses to connect. By default to all.
        ///
        /// For URLs that users give, ``AddressPolicy/publicOnly`` keeps their downloads out of this machine and its network.
        public var addresses = AddressPolicy.any
        /// Whether to use the other URLs of a file that its server names, with `Link: <URL>; rel=duplicate`. By default true.
        ///
        /// They are asked after the ``DownloadRequest/mirrors``, and may be on any host.
        public var usesServerMirrors = true
        /// Decides by the head of a response whether to fetch the file. By default `nil`: every file is fetched.
        ///
        ///     configuration.accept = { request, response in
        ///         guard response["Content-Type"] == "application/zip" else { throw NotAnArchive() }
        ///     }
        ///
        /// It is called for each response with bytes of the file, before any of them is used: first when the file begins,
        /// and again when it goes on after a retry or a pause, or at a mirror. It is not called for redirects and
        /// refusals, nor for further connections of the same file.
        ///
        /// If it throws, nothing of the body is written, and the download fails: with what it threw, if that is a
        /// ``DownloadError``; else with the code ``DownloadError/Code/badResponse``, which is not retried, and what it threw
        /// as ``DownloadError/underlying``. Mirrors are asked as after other failures. A finished file stays, and so does a
        /// partial one.
        ///
        /// It runs on a thread that also receives the bytes of other downloads, so it must return quickly.
        public var accept: (@Sendable (DownloadRequest, DownloadResponse) throws -> Void)?
        /// Ends an attempt whose file arrives too slowly. By default `nil`: a slow download goes on, unless nothing arrives for
        /// ``stallTimeout``.
        ///
        ///     configuration.minimumSpeed = MinimumSpeed(bytesPerSecond: 10_000, over: .seconds(30))
        ///
        /// Period by period, from the first byte of the file on, all connections of a file must bring as much together.
        /// Otherwise the attempt fails with ``DownloadError/Code/timedOut``, and ``retry`` decides about another; if it was
        /// too slow from its beginning, it counts as one without progress. Mirrors are asked as after other failures. A
        /// period in which a limit of the program slows the download proves nothing.
        ///
        /// Downloads share the line, so each of many at once is slower than one alone.
        public var minimumSpeed: MinimumSpeed?
        /// Names the file of a response. By default `nil`: ``DownloadRequest/naming`` decides, as it does when the
        /// closure returns `nil`.
        ///
        /// It is called when the first response with a file has come, unless the request has a
        /// ``DownloadRequest/fileName``, or the file goes on from an earlier response. The result is made safe like a
        /// server's name, and never replaces another file; see ``DownloadRequest/naming``. The file is found under it
        /// later.
        ///
        /// It runs on a thread that also receives the bytes of other downloads, so it must return quickly.
        public var fileName: (@Sendable (DownloadRequest, DownloadResponse) -> String?)?
        /// Whether finished files get the server's modification time (`Last-Modified`). By default false: they have the
        /// time of the last write.
        public var keepsServerTime = false
        /// Whether the queue survives the process. By default false: ``DownloadManager/restore()`` finds partial files.
        ///
        /// If true, unfinished downloads are in a journal, a hidden file in ``directory`` that is written before
        /// `download` returns and synced within a second. ``DownloadManager/restore()`` of a later process, or of a
        /// manager made after this one has gone, then also restores waiting and paused downloads. A download that
        /// finished, failed, or was cancelled or deleted has ended. Failures are kept apart: see
        /// ``DownloadManager/storedFailures()`` and <doc:KeepingTheQueue>.
        ///
        /// Headers, user and password are not written, and the journal is removed when nothing is left to do and nothing
        /// has failed. If it cannot be written, downloads still run; ``DownloadManager/queueFailure`` says why.
        public var keepsQueue = false
        /// The queue for closures and the delegate. By default a private serial queue.
        ///
        /// A concurrent queue does not keep the order of the calls.
        public var callbackQueue = DispatchQueue(label: "spate.callbacks")
        /// A PEM file of certificates to trust instead of the system's; `nil`, the default, trusts the system's.
        ///
        /// If the file cannot be used, every `https` download fails with ``DownloadError/Code/tls``.
        public var certificateAuthorities: URL?
        /// The proxy of all requests; by default the environment's.
        ///
        /// If a given one cannot be used, every download fails with ``DownloadError/Code/proxy``.
        public var proxy = DownloadProxy.environment
        /// The network interface or local address to send from; `nil`, the default, leaves it to the system.
        ///
        /// If it cannot be used, every download fails with ``DownloadError/Code/connectionFailed``.
        public var networkInterface: String?
        /// How much of a running download a power cut may lose. By default 10 seconds.
        ///
        /// The file is synced after every two fifths of this time, and a fast download also after every 32 MiB. A power
        /// cut loses the bytes since the sync before the last, so a disk whose sync takes longer than a fifth of this
        /// time may lose more.
        public var syncInterval = Duration.seconds(10)

        /// Creates a configuration with all defaults, like ``DownloadManager/shared``'s.
        public init() {}

        /// Creates a configuration with a folder for files, and the defaults for everything else.
        public init(directory: URL) {
            self.init()
            self.directory = directory
        }

        /// Creates a configuration with a folder for files and the values that programs change most. Those left out are
        /// the defaults.
        ///
        ///     let configuration = DownloadManager.Configuration(directory: folder, maxConcurrentDownloads: 8)
        ///
        /// - Parameters:
        ///   - directory: see ``directory``.
        ///   - maxConcurrentDownloads: see ``maxConcurrentDownloads``.
        ///   - maxBytesPerSecond: see ``maxBytesPerSecond``.
        ///   - retry: see ``retry``.
        ///   - connectTimeout: see ``connectTimeout``.
        ///   - stallTimeout: see ``stallTimeout``.
        ///   - headers: see ``headers``.
        ///   - callbackQueue: see ``callbackQueue``; `nil` for a private serial queue.
        public init(
            directory: URL,
            maxConcurrentDownloads: Int = 3,
            maxBytesPerSecond: Int64? = nil,
            retry: RetryPolicy = RetryPolicy(),
            connectTimeout: Duration = .seconds(15),
            stallTimeout: Duration = .seconds(30),
            headers: [String: String] = [:],
            callbackQueue: DispatchQueue? = nil
        ) {
            self.init(directory: directory)
            self.maxConcurrentDownloads = maxConcurrentDownloads
            self.maxBytesPerSecond = maxBytesPerSecond
            self.retry = retry
            self.connectTimeout = connectTimeout
            self.stallTimeout = stallTimeout
            self.headers = headers
            if let callbackQueue { self.callbackQueue = callbackQueue }
        }

        private static var defaultDirectory: URL {
            let downloads =
                FileManager.default.urls(for: .downloadsDirectory, in: .userDomainMask).first
                ?? URL(fileURLWithPath: NSHomeDirectory(), isDirectory: true)
                .appendingPathComponent("Downloads", isDirectory: true)
            return downloads.appendingPathComponent("Spate", isDirectory: true)
        }
    }
}
