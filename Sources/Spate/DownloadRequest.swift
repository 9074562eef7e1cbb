public import Foundation
import SpateFilePaths
import SpateHTTPSyntax

/// A file to download, and how.
///
/// A copy shares the memory of everything but the URL, until one of the two is changed.
public struct DownloadRequest: Sendable, Hashable {
    /// The `http` or `https` URL of the file.
    ///
    /// A user and password in it are sent to the server and never stored.
    public var url: URL {
        get { givenURL.url }
        set { givenURL = .url(newValue) }
    }
    private(set) var givenURL: GivenURL
    /// One element, in an array because copies share it until they are changed.
    private var shared = Self.standard
    private static let standard = [RequestOptions()]
    /// The file's name in its folder; `nil`, the default, uses the last part of the URL's path, made safe.
    ///
    /// A name with a separator or a control character fails with ``DownloadError/Code/badFileName``. If another file
    /// has the chosen name, the download fails with ``DownloadError/Code/fileExists``. A name from the URL avoids it
    /// instead: the query is put before the extension, as in `list-page=2.csv`, or a short hash if there is no query,
    /// if it is long or may be secret, or if that name is taken, too.
    public var fileName: String? {
        get { shared[0].fileName?.text }
        set { shared[0].fileName = newValue.map { FilePath($0) } }
    }
    /// The path of the file below ``directory``, such as `onnx/model.onnx`; `nil`, the default, puts it into that folder.
    ///
    /// Each part is made safe, as a name from a URL is; empty parts, `.` and `..` are left out. Folders are made when
    /// needed, and marked as those of ``placement`` are, so the manager finds the files in them again. If another file has
    /// the path, the download fails with ``DownloadError/Code/fileExists``. With it, ``fileName``, ``naming`` and
    /// ``placement`` do not matter.
    public var relativePath: String? {
        get { shared[0].relativePath?.text }
        set { shared[0].relativePath = newValue.map { FilePath($0) } }
    }
    /// Where the name of the file comes from if ``fileName`` is `nil`. By default the URL.
    ///
    /// A name from the server never replaces another file, even with ``replacesExistingFile``: if it is taken, a short
    /// hash is put before the extension. Until the file is finished, the partial file has the URL's name. Lookups and
    /// later runs find the finished file without asking the server, and a newer version of it keeps its name. They read
    /// the folder, the first time as a whole.
    public var naming: DownloadNaming {
        get { shared[0].naming }
        set { shared[0].naming = newValue }
    }
    /// The folder for the file, created when needed; `nil`, the default, uses the manager's.
    public var directory: URL? {
        get { shared[0].directory }
        set { shared[0].directory = newValue }
    }
    /// In which folder below that one the file goes. By default in that folder itself.
    ///
    /// Folders are made when needed, and marked with an attribute. ``DownloadManager/restore()``,
    /// ``DownloadManager/storedDownloads()``, ``DownloadManager/deleteAll()`` and lookups by URL find the files in them,
    /// unless the request chose another ``directory`` than the manager's. A file in the way of a folder fails with
    /// ``DownloadError/Code/fileSystem``.
    public var placement: DownloadPlacement {
        get { shared[0].placement }
        set { shared[0].placement = newValue }
    }
    /// Headers to send. They replace the configuration's headers with the same name.
    ///
    /// After a redirect to another scheme, host or port these are not sent: `Authorization`, `Cookie`, every header in
    /// ``privateHeaders``, and every header whose name contains "token", "key", "secret" or the like.
    public var headers: [String: String] {
        get { shared[0].headers }
        set { shared[0].headers = newValue }
    }
    /// Names of ``headers`` that are not sent to another origin after a redirect. Letter case is ignored.
    public var privateHeaders: Set<String> {
        get { shared[0].privateHeaders }
        set { shared[0].privateHeaders = newValue }
    }
    /// The certificate to show to a server that asks for one; `nil`, the default, shows none.
    ///
    /// Only the scheme, host and port of ``url`` get it: neither another origin after a redirect, nor a mirror or a
    /// prepared URL of another origin. An `http` URL gets none. Connections with it are used for no request without it.
    /// It is not stored: give it again to a restored or decoded request.
    ///
    /// If its files cannot be used, the download fails with ``DownloadError/Code/tls`` and is not retried.
    public var clientCertificate: ClientCertificate? {
        get { shared[0].clientCertificate }
        set { shared[0].clientCertificate = newValue }
    }
    /// The rank among the downloads that wait for a slot. By default normal. Running downloads are not interrupted.
    public var priority: Operation.QueuePriority {
        get { shared[0].priority }
        set { shared[0].priority = newValue }
    }
    /// The size that the file must have; `nil`, the default, accepts any.
    ///
    /// Another size fails with ``DownloadError/Code/incomplete`` or ``DownloadError/Code/tooLarge``.
    public var expectedBytes: Int64? {
        get { shared[0].expectedBytes }
        set { shared[0].expectedBytes = newValue }
    }
    /// The largest size to accept; `nil`, the default, sets no limit.
    ///
    /// A larger file fails with ``DownloadError/Code/tooLarge``, before its body if the server sends the size.
    public var maximumBytes: Int64? {
        get { shared[0].maximumBytes }
        set { shared[0].maximumBytes = newValue }
    }
    /// The checksum that the file must have; `nil`, the default, checks none.
    ///
    /// A file with another checksum does not get its final name, and the download fails with
    /// ``DownloadError/Code/checksumMismatch``. An existing finished file is read when the download has a slot; if its
    /// checksum is wrong, the file is fetched again, and replaced when the new one is complete. A file of that name that
    /// Spate did not make is read, too, unless it is a link; it is the file if it has the checksum, and stays if not.
    ///
    /// If it is `nil`, a digest from the server is checked instead (`Repr-Digest`, `x-goog-hash`, or `Content-MD5` of a
    /// whole body). A file that differs from it is fetched once more before the download fails.
    ///
    /// Algorithms other than SHA-256 need OpenSSL's libcrypto. If it is missing, such a request fails with
    /// ``DownloadError/Code/badChecksum`` before anything is fetched.
    public var checksum: Checksum? {
        get { shared[0].givenChecksum?.checksum }
        set { shared[0].givenChecksum = newValue.map(GivenChecksum.checksum) }
    }
    /// The hexadecimal digits of a SHA-256 in ``checksum``. `nil` for another algorithm.
    ///
    /// A text that is not a SHA-256 is kept, and the request fails with ``DownloadError/Code/badChecksum``.
    public var sha256: String? {
        get { shared[0].givenChecksum?.sha256 }
        set { shared[0].givenChecksum = newValue.map(GivenChecksum.init(sha256:)) }
    }
    /// What a Metalink says about the file; set by ``DownloadManager/request(for:)``.
    ///
    /// Each piece with a checksum is checked when it has arrived. A source that sent a wrong one is asked no more, and
    /// another one sends the rest: pieces of several sources make one file. Of a part that a power cut left, and of a
    /// finished file that turns out to be damaged, the pieces that agree are kept, and only the others are fetched. A
    /// damaged file stays until the repaired one is complete.
    ///
    /// The queue and an encoded request keep the size and the pieces.
    public var metalink: Metalink.File? {
        get { shared[0].metalink }
        set { shared[0].metalink = newValue }
    }
    /// Whether a document chose ``url``, and nobody who trusts its host. By default false;
    /// ``DownloadManager/request(for:)`` sets it.
    ///
    /// Then only the ``headersForDocuments`` of a request and of a configuration are sent, and no
    /// ``clientCertificate``: what is meant for another server must not go to a host that somebody else named. A
    /// login in the URL is sent, as are cookies, which name their hosts, and headers that a
    /// ``DownloadManager/Configuration-swift.struct/prepare`` adds. To send everything, set it to false.
    ///
    /// The queue, the files and an encoded request keep it, so it counts for restored and repaired downloads, too.
    public var isChosenByDocument: Bool {
        get { shared[0].isChosenByDocument }
        set { shared[0].isChosenByDocument = newValue }
    }
    /// The names of the headers, in lower case, that are sent to a URL that a document chose.
    public static let headersForDocuments: Set<String> = [
        "accept", "accept-language", "cache-control", "pragma", "referer", "user-agent",
    ]
    /// Whether to use the Metalink that the server names, with `Link: <URL>; rel=describedby;
    /// type="application/metalink4+xml"` (RFC 6249). By default false: such a link is ignored.
    ///
    /// The link counts on a response with the file, of the URL or of its redirects, if ``metalink`` is `nil`. That
    /// response is stopped, and the document fetched first: at most 32 MiB in at most a minute, and once. Its checksum,
    /// if ``checksum`` is `nil`, and the checksums of its pieces are then checked as if the request had them, and its
    /// URLs are mirrors that a server named. Its names are not used.
    ///
    /// Without such a link nothing changes. If the document cannot be fetched or read, or states another size than the
    /// response, the download goes on without it, and ``DownloadRemark/metalinkNotUsed(_:)`` says why. An `https` URL
    /// leads to no `http` one, unless ``allowsInsecureRedirects`` is true. The document names the hosts to ask, so trust
    /// the server for that.
    public var usesServerMetalink: Bool {
        get { shared[0].usesServerMetalink }
        set { shared[0].usesServerMetalink = newValue }
    }
    /// Other URLs of the same file, in order of preference; by default none.
    ///
    /// When the URL fails, the next one is asked at once. It continues the bytes of another only if ``checksum`` is
    /// set, or if both send the same strong entity tag and size, and the last 64 KiB are equal. Otherwise the file is
    /// fetched from the start. Credentials and private headers go to no mirror of another origin. URLs that the server
    /// names, with `Link: <URL>; rel=duplicate`, come after these, as do the mirrors of requests that join the
    /// download. See <doc:Mirrors>.
    public var mirrors: [URL] {
        get { shared[0].mirrors }
        set { shared[0].mirrors = newValue }
    }
    /// How many connections fetch the file; `nil`, the default, uses the configuration's number.
    public var connections: ConnectionCount? {
        get { shared[0].connections }
        set { shared[0].connections = newValue }
    }
    /// The limit for the received bytes per second; `nil`, the default, sets no limit for this download.
    ///
    /// A value below 1 counts as 1. A download with a limit has one connection, over HTTP/1.1.
    /// ``Download/maxBytesPerSecond`` changes the limit while the download is under way.
    public var maxBytesPerSecond: Int64? {
        get { shared[0].maxBytesPerSecond }
        set { shared[0].maxBytesPerSecond = newValue }
    }
    /// How long the download may take; `nil`, the default, sets no limit.
    ///
    /// The time runs from the start of its first attempt, and so not while it waits for its first slot. Retries and the
    /// waits before them count. After it the download fails with ``DownloadError/Code/timedOut``, and the partial file
    /// stays. A download that is resumed has the whole time again, as has one that is restored. It is too late once the
    /// file is getting its final name.
    public var timeLimit: Duration? {
        get { shared[0].timeLimit }
        set { shared[0].timeLimit = newValue }
    }
    /// Whether to replace a file that has the final name, and to fetch a finished file again, which keeps its name. By
    /// default false.
    ///
    /// A folder is never replaced.
    public var replacesExistingFile: Bool {
        get { shared[0].replacesExistingFile }
        set { shared[0].replacesExistingFile = newValue }
    }
    /// Whether to ask the server if a finished file has changed, and then to fetch it again. By default false: an
    /// existing finished file ends the download without a request.
    ///
    /// The request carries the ETag or the date of the file; if neither proves anything, the file is fetched
    /// again. A changed file is fetched beside the finished one and replaces it when it is complete. After any failure
    /// the finished file stays; the download fails, and its message says so. ``Download/update`` has the result.
    ///
    /// A file that has the size and the ``checksum`` of the request needs no check. With ``replacesExistingFile``, a
    /// file that Spate did not make is replaced, and a finished one only if it has changed.
    public var checksForUpdate: Bool {
        get { shared[0].checksForUpdate }
        set { shared[0].checksForUpdate = newValue }
    }
    /// Whether only to ask the server whether the finished file has changed, for ``DownloadManager/verify(_:)``: nothing
    /// is fetched or written. The download fails if the server has another file or there is none; otherwise
    /// ``Download/update`` says whether the server could tell.
    var asksOnly: Bool {
        get { shared[0].asksOnly }
        set { shared[0].asksOnly = newValue }
    }
    /// Set by ``DownloadManager/repair(_:from:)``.
    var repair: Repair? {
        get { shared[0].repair }
        set { shared[0].repair = newValue }
    }

    /// How a file is repaired.
    struct Repair: Sendable, Hashable {
        /// Another file that may have right pieces.
        var source: URL?
    }

    /// Whether to accept any existing file with the final name, even if Spate did not make it. By default false: only a
    /// file that Spate finished for this URL is accepted.
    ///
    /// A link counts as its target. The file must have the request's size and checksum; otherwise the download
    /// continues as if this were false.
    public var skipsExistingFile: Bool {
        get { shared[0].skipsExistingFile }
        set { shared[0].skipsExistingFile = newValue }
    }
    /// Whether the finished file gets the server's modification time (`Last-Modified`); `nil`, the default, uses the
    /// configuration's value.
    public var keepsServerTime: Bool? {
        get { shared[0].keepsServerTime }
        set { shared[0].keepsServerTime = newValue }
    }
    /// Whether to follow redirects from `https` to `http`. By default false: they fail with
    /// ``DownloadError/Code/redirect``.
    public var allowsInsecureRedirects: Bool {
        get { shared[0].allowsInsecureRedirects }
        set { shared[0].allowsInsecureRedirects = newValue }
    }

    /// Creates a request for a URL with the most common options, and the defaults for everything else.
    ///
    ///     let request = DownloadRequest(url, fileName: "list.csv", headers: ["Accept": "text/csv"])
    public init(
        _ url: URL,
        fileName: String? = nil,
        directory: URL? = nil,
        headers: [String: String] = [:],
        priority: Operation.QueuePriority = .normal,
        checksum: Checksum? = nil
    ) {
        self.init(url)
        self.fileName = fileName
        self.directory = directory
        self.headers = headers
        self.priority = priority
        self.checksum = checksum
    }

    /// Creates a request for a URL, with the defaults for everything else.
    public init(_ url: URL) {
        givenURL = .url(url)
    }

    /// Creates a request for a URL in a text, with the defaults for everything else.
    ///
    /// The text is read as `URL(string:)` reads it, and checked at once, which costs less than to make a `URL` for a
    /// request that is checked when it is enqueued.
    ///
    /// - Throws: a ``DownloadError`` with the code `badURL` or `unsupportedScheme`.
    public init(text: String) throws(DownloadError) {
        do throws(HTTPURLError) {
            givenURL = try GivenURL(text: text)
        } catch {
            throw DownloadError(error, text: text)
        }
    }

    /// A request for the same URL that is like another in everything else, and shares its memory.
    public func withOptions(of other: DownloadRequest) -> DownloadRequest {
        DownloadRequest(givenURL: givenURL, shared: other.shared)
    }

    private init(givenURL: GivenURL, shared: [RequestOptions]) {
        (self.givenURL, self.shared) = (givenURL, shared)
    }

    /// Whether the two differ only in their URLs. Costs little if they share their memory.
    func hasOptions(of other: DownloadRequest) -> Bool { shared == other.shared }

    /// Everything but the URL.
    var options: RequestOptions { shared[0] }
}
