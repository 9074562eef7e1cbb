import FileSystemCalls
import HTTPResumption
import Metalinks
import PartialFiles

/// A damaged finished file whose pieces have checksums: those that agree need not be fetched again.
extension Attempt {
    /// Begins the partial file with the pieces that agree, if the server can fill the gaps between them. The attempt
    /// then resumes it as any other.
    func keepPieces(of damaged: StoredFile) throws(FileSystemError) {
        let wanted = download.enqueuedRequest
        guard let pieces = wanted.metalink?.pieces, wanted.metalink?.size == damaged.size, !beginsAnew,
            let entity = damaged.entity, entity.validator?.strong != nil
        else { return }
        let opening = try directory.open(
            for: request.url,
            naming: request.naming,
            replacing: .own,
            isTaken: isTaken
        )
        guard case .partial(let file) = opening else { return }
        // The attempt opens it again, with the record of what it has then.
        defer { file.close() }
        // Those of an earlier attempt are there already.
        guard file.filled.isEmpty else { return }
        let source = try directory.open(damaged)
        let whole = try agreeing(pieces, in: source, size: damaged.size)
        guard !whole.isEmpty else { return }
        try file.begin(total: damaged.size, validator: entity.validator, encoding: entity.encoding)
        guard try file.allowGaps() else { return }
        for range in whole.ranges { try copy(range, from: source, to: file) }
        _ = file.keep()
    }

    /// Which bytes are in pieces that agree. Of very many ranges only the first, as many as the record has room for.
    private func agreeing(
        _ pieces: MetalinkPieces,
        in source: OpenFile,
        size: Int64
    ) throws(FileSystemError) -> FilledRanges {
        var whole = FilledRanges()
        guard let algorithm = Checksum.Algorithm(rawValue: pieces.algorithm.rawValue) else { return whole }
        source.readsInOrder()
        for piece in 0..<pieces.count {
            let start = Int64(piece) * pieces.length
            let range = start..<min(size, start + pieces.length)
            guard var digest = manager.validConfiguration.digests.digest(algorithm),
                try digest.read(source, range, while: { !isStopping })
            else { return FilledRanges() }
            guard let found = digest.finish(), found.elementsEqual(pieces.digest(of: piece)) else { continue }
            var longer = whole
            longer.insert(range)
            guard longer.isStorable else { return whole }
            whole = longer
        }
        return whole
    }

    private func copy(_ range: Range<Int64>, from source: OpenFile, to file: PartialFile) throws(FileSystemError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
        defer { buffer.deallocate() }
        var offset = range.lowerBound
        while offset < range.upperBound, !isStopping {
            let part = UnsafeMutableRawBufferPointer(
                rebasing: buffer.prefix(Int(clamping: range.upperBound - offset))
            )
            let count = try source.read(into: part, at: offset)
            guard count > 0 else { return }
            try file.write(UnsafeRawBufferPointer(rebasing: part[..<count]), at: offset)
            offset += Int64(count)
        }
    }
}
