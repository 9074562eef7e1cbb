/// How many connections fetch one file at once.
///
/// More than one need a server that proves that the parts belong to one version of the file: with ranges, a length and a
/// strong validator. Otherwise, and under a limit of the rate, a file has one, whatever is asked for. Over HTTP/2, too,
/// each is a connection of its own.
public enum ConnectionCount: Sendable, Hashable {
    /// One, and up to four where they bring the file sooner. It takes at most six to one host, for all downloads of the
    /// process.
    case automatic
    /// As many as this, at most 32, as soon as the server has shown that it serves parts, as far as each gets 1 MiB. 1, or
    /// less, never splits a file.
    case exactly(Int)
}
