/// One file of a Metalink.
package struct MetalinkFile: Hashable, Sendable {
    /// As stated; never empty. It may be anything, such as a path out of the folder, and is not safe to use.
    package let name: String
    /// `nil` if unknown.
    package let size: Int64?
    /// At most one of each algorithm, the strongest first.
    package let digests: [MetalinkDigest]
    /// `nil` without pieces that fit the file's size.
    package let pieces: MetalinkPieces?
    /// The best first. No URL is there twice.
    package let mirrors: [MetalinkMirror]
    /// Whether the file has a signature. Nothing here can check it.
    package let hasSignature: Bool
    /// What was skipped, and may surprise the user.
    package let remarks: [MetalinkRemark]
}
