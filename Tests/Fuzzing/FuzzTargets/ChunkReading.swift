import SpateHTTPSyntax

/// The result of reading a chunked message that arrives in pieces.
struct ChunkReading: Equatable {
    var body: [UInt8] = []
    var isComplete = false
    var excess = 0
    var fault: ChunkFault?

    init() {}

    init(_ pieces: [ArraySlice<UInt8>], overheadLimit: Int = .max) {
        var reader = ChunkReader(overheadLimit: overheadLimit)
        for piece in pieces where fault == nil {
            piece.withUnsafeBytes { bytes in
                var rest = bytes
                do throws(ChunkFault) {
                    while let run = try reader.next(from: &rest) { body += run }
                    excess += rest.count
                } catch {
                    fault = error
                }
            }
        }
        isComplete = reader.isComplete
    }
}
