/// Why a body cannot be taken out of its chunks.
package enum ChunkFault: Error, Hashable, Sendable {
    /// Where a chunk's size should stand is no such number.
    case noSize
    /// A line, or a chunk, does not end where it should.
    case noLineEnd
    /// Extensions or trailers without end.
    case tooMuchBetween
}
