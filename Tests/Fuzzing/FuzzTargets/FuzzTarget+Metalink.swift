import SpateMetalinks

extension FuzzTarget {
    /// A Metalink, or other XML.
    static let metalink = FuzzTarget(name: "metalink") { bytes throws(BrokenClaim) in
        let events: [XMLEvent]
        do throws(XMLError) {
            events = try xmlEvents(of: bytes)
        } catch {
            try require((1...bytes.count + 1).contains(error.line), "an error in line \(error.line)")
            try require((try? Metalink(bytes)) == nil, "a Metalink that is not XML (\(error))")
            return
        }
        var limits = XMLLimits()
        (limits.attributes, limits.namespaces) = (2 * limits.attributes + 1, .max)
        let written = MetalinkWriter.document(of: events)
        try require((try? xmlEvents(of: written, limits: limits)) == events, "\(events) become other events")

        guard let metalink = try? Metalink(bytes) else { return }
        for file in metalink.files { try check(file) }
        let names = Set(metalink.files.map { Array($0.name.utf8) })
        guard names.count == metalink.files.count else {
            return try require(metalink.version == .three, "a name is there twice")
        }
        let again = try? Metalink(MetalinkWriter.document(of: metalink.files))
        try require(again?.version == .four, "what is written is no Metalink 4")
        for (read, file) in zip(again?.files ?? [], metalink.files) {
            let isSame =
                read.name == file.name && read.size == file.size && read.digests == file.digests
                && read.pieces == file.pieces && read.mirrors == file.mirrors && read.remarks.isEmpty
            try require(isSame, "\(file) becomes \(read)")
        }
        try require(again?.files.count == metalink.files.count, "files are lost")
    }

    /// With adjacent parts of text as one.
    private static func xmlEvents(
        of document: [UInt8],
        limits: XMLLimits = XMLLimits()
    ) throws(XMLError) -> [XMLEvent] {
        var reader = try XMLReader(document, limits: limits)
        var events: [XMLEvent] = []
        while let event = try reader.next() {
            if case .text(let part) = event, case .text(let text)? = events.last {
                events[events.count - 1] = .text(text + part)
            } else {
                events.append(event)
            }
        }
        return events
    }

    private static func check(_ file: MetalinkFile) throws(BrokenClaim) {
        try require(!file.name.isEmpty && file.size ?? 0 >= 0, "\(file.name.debugDescription) of \(file.size ?? 0)")
        let algorithms = file.digests.map(\.algorithm)
        try require(algorithms == algorithms.sorted(by: >), "digests in the order \(algorithms)")
        try require(Set(algorithms).count == algorithms.count, "an algorithm twice: \(algorithms)")
        try require(file.digests.allSatisfy { $0.bytes.count == $0.algorithm.length }, "a digest of another length")
        if let pieces = file.pieces {
            try require(pieces.length > 0 && pieces.count > 0, "\(pieces.count) pieces of \(pieces.length)")
            try require(pieces.bytes.count % pieces.algorithm.length == 0, "a part of a digest")
            if let size = file.size {
                let covered = pieces.length.multipliedReportingOverflow(by: Int64(pieces.count))
                let missing = covered.partialValue.subtractingReportingOverflow(size)
                let fits = covered.overflow || (0..<pieces.length).contains(missing.partialValue)
                try require(fits, "\(pieces.count) pieces of \(pieces.length) for \(size)")
            }
        }
        let mirrors = file.mirrors
        try require(mirrors.map(\.priority) == mirrors.map(\.priority).sorted(), "mirrors out of order")
        try require(mirrors.allSatisfy { MetalinkMirror.priorities.contains($0.priority) }, "a priority out of range")
        try require(Set(mirrors.map(\.url)).count == mirrors.count, "a mirror twice")
    }
}
