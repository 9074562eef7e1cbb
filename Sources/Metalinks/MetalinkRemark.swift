/// What was skipped in a file of a Metalink.
package enum MetalinkRemark: Hashable, Sendable {
    package enum PiecesFault: Error, Hashable, Sendable {
        case invalidLength
        case invalidDigest
        /// Numbers are missing or repeated.
        case misnumbered
        /// They are more or fewer than the file has.
        case wrongCount
    }

    /// The size is no number, or there are several.
    case unusableSize
    /// A digest of this algorithm is not valid, or there are several that differ.
    case unusableDigest(MetalinkDigest.Algorithm)
    case droppedPieces(PiecesFault)
    /// This many URLs are neither http nor https, or cannot be read.
    case unusableURLs(Int)
    /// This many URLs are of other descriptions of the file, such as torrents.
    case skippedMetaURLs(Int)
}

extension MetalinkRemark: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unusableSize: "the size cannot be read"
        case .unusableDigest(let algorithm): "the \(algorithm) digest cannot be read, or there are several"
        case .droppedPieces(.invalidLength): "the digests of pieces are not used: the length is not a number"
        case .droppedPieces(.invalidDigest): "the digests of pieces are not used: one cannot be read"
        case .droppedPieces(.misnumbered): "the digests of pieces are not used: their numbers have gaps or repeat"
        case .droppedPieces(.wrongCount): "the digests of pieces are not used: their number does not fit the size"
        case .unusableURLs(1): "1 URL is not used: only http and https are"
        case .unusableURLs(let count): "\(count) URLs are not used: only http and https are"
        case .skippedMetaURLs(1): "1 torrent or similar is not used"
        case .skippedMetaURLs(let count): "\(count) torrents or similar are not used"
        }
    }
}
