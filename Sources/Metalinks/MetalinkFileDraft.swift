/// A file while its elements are read, which come in any order.
struct MetalinkFileDraft {
    let name: String
    var hasSignature = false
    var pieces: [PieceCollector] = []
    var mirrors: [MetalinkMirror] = []
    var urlCount = 0
    var unusableURLCount = 0
    var metaURLCount = 0
    /// Of what is stated: `.some(nil)` if it is invalid, or states differ.
    private var size: Int64??
    private var digests: [MetalinkDigest.Algorithm: [UInt8]?] = [:]

    init(name: String) {
        self.name = name
    }

    mutating func add(size stated: Int64?) { size = .some(Self.common(size, stated)) }

    /// - Parameter algorithm: `nil` if it is unknown.
    mutating func addDigest(_ algorithm: MetalinkDigest.Algorithm?, hexadecimal text: ArraySlice<UInt8>) {
        guard let algorithm else { return }
        var bytes: [UInt8] = []
        let isValid = bytes.append(hexadecimal: text, count: algorithm.length)
        digests[algorithm] = .some(Self.common(digests[algorithm], isValid ? bytes : nil))
    }

    private static func common<Value: Equatable>(_ earlier: Value??, _ stated: Value?) -> Value? {
        earlier.map { $0 == stated } ?? true ? stated : nil
    }

    var file: MetalinkFile {
        var remarks: [MetalinkRemark] = []
        if size == .some(nil) { remarks.append(.unusableSize) }
        let size = size.flatMap(\.self)

        var usable: [MetalinkDigest] = []
        for algorithm in MetalinkDigest.Algorithm.allCases.reversed() {
            guard let stated = digests[algorithm] else { continue }
            if let stated {
                usable.append(MetalinkDigest(algorithm: algorithm, bytes: stated))
            } else {
                remarks.append(.unusableDigest(algorithm))
            }
        }

        var strongest: MetalinkPieces?
        for collected in pieces {
            switch collected.pieces(for: size) {
            case .success(let pieces):
                if strongest.map({ $0.algorithm < pieces.algorithm }) ?? true { strongest = pieces }
            case .failure(let fault): remarks.append(.droppedPieces(fault))
            }
        }
        if unusableURLCount > 0 { remarks.append(.unusableURLs(unusableURLCount)) }
        if metaURLCount > 0 { remarks.append(.skippedMetaURLs(metaURLCount)) }
        return MetalinkFile(
            name: name,
            size: size,
            digests: usable,
            pieces: strongest,
            mirrors: MetalinkMirror.ranked(mirrors),
            hasSignature: hasSignature,
            remarks: remarks
        )
    }
}
