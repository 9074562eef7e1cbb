import SpateHTTPTransport

/// The version of this library.
public enum LibraryVersion {
    /// The version, such as `0.1.0`. It is part of the default `User-Agent`.
    public static let text = "0.1.0"

    /// The libraries of the system that this process uses for HTTP and TLS, such as `libcurl 7.88.1, OpenSSL 3.0.17`.
    public static var libraries: String { CurlTransport.libraries.joined(separator: ", ") }
}
