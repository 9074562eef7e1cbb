import SpatePartialFiles

extension FinalFile {
    /// The checksum that the file was finished with. A server's digest counts only if the download could check it.
    func checksum(by library: DigestLibrary) -> Checksum? {
        if let text = checksum, let checksum = try? Checksum(text) { return checksum }
        let stated = digest.map { ExpectedChecksum($0).checksum }
        return stated.flatMap { library.computes($0.algorithm) ? $0 : nil }
    }
}
