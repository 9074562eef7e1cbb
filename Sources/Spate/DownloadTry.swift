/// A try of a download, counted from its last progress.
public struct DownloadTry: Sendable, Hashable {
    /// The number of the try, from 1.
    ///
    /// It counts from the start of the download, and again after each attempt that has brought new bytes, after
    /// ``Download/resume()``, and at each of several places of the file: the first try at a mirror is its number 1.
    public var number: Int
    /// The number of the last try: if it brings no new byte, the download fails, or the mirror is given up. `nil` for no
    /// limit.
    public var limit: Int?

    /// Creates a try, for tests and for stand-ins of a download.
    public init(number: Int, limit: Int? = nil) {
        self.number = number
        self.limit = limit
    }
}

extension DownloadTry: CustomStringConvertible {
    /// The try for people: "try 2 of 6", or "try 2" if there is no limit.
    public var description: String { limit.map { "try \(number) of \($0)" } ?? "try \(number)" }
}
