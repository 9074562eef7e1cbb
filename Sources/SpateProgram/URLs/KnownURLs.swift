/// The URLs of a list. It may have a million lines, so the texts would take too much memory, and even their hashes in one
/// `Set`: it doubles at once, and keeps the old table meanwhile.
struct KnownURLs {
    /// A 96-bit hash of a URL, in 12 bytes. Among a million URLs, a collision has a probability of 10^-17.
    struct Fingerprint: Hashable {
        fileprivate let first: UInt32
        private let second: UInt32
        private let third: UInt32

        init(of url: DownloadURL) {
            var hasher = Hasher()
            hasher.combine(url.key)
            let half = UInt64(bitPattern: Int64(hasher.finalize()))
            (first, second) = (UInt32(truncatingIfNeeded: half), UInt32(half >> 32))
            hasher.combine(2)
            third = UInt32(truncatingIfNeeded: hasher.finalize())
        }
    }

    /// A million URLs leave some 250 in each, which are searched in order.
    private var parts = [[Fingerprint]](repeating: [], count: 4096)

    /// Returns whether the URL is new.
    mutating func insert(_ url: Fingerprint) -> Bool {
        let part = Int(url.first) % parts.count
        if parts[part].contains(url) { return false }
        parts[part].append(url)
        return true
    }
}
