/// How many connections fetch one file at once.
///
/// Several connections need a server that proves that the parts belong to one version of the file: with ranges, a
/// length and a strong validator. Otherwise, and under a rate limit, a file has one connection, whatever the count.
/// Over HTTP/2, too, each connection is separate.
public enum ConnectionCount: Sendable, Hashable {
    /// One, and up to sixteen if all downloads of the manager together become faster by them. Opens at most 32 to one
    /// host, for all downloads of the process.
    case automatic
    /// Exactly this many, at most 32, at least 1 MiB each, once the server has shown that it serves parts. 1 or less
    /// never splits a file.
    case exactly(Int)
}
