/// Where the name of a finished file comes from, if the request chose none.
public enum DownloadNaming: String, Sendable, Hashable, Codable, CaseIterable {
    /// The last part of the URL's path, made safe.
    case url
    /// The server: its `Content-Disposition`, or else the URL to which it redirected, if that has an extension and the
    /// request's has none. Without either, as ``url``.
    ///
    /// The name is made safe: nothing before its last separator counts, nor do leading dots and dashes, and it has at
    /// most 230 bytes. A name with a control character or a mark of direction is ignored.
    case server
    /// As ``server`` if the URL has a query, or the last part of its path no extension: such URLs seldom name their
    /// file. Others as ``url``.
    case automatic
}
