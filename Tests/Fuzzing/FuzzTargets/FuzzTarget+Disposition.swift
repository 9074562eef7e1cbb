import SpateHTTPSyntax
import SpatePartialFiles

extension FuzzTarget {
    /// A Content-Disposition; the URL that sent it; the enqueued URL; a name to be written as a server writes it.
    static let disposition = FuzzTarget(name: "disposition") { bytes throws(BrokenClaim) in
        var lines = InputLines(bytes)
        let value = lines.next()
        let (sender, wanted) = (lines.nextText(), lines.nextText())
        let fallback = try? HTTPURL("http://host/file")
        guard let address = (try? HTTPURL(sender)) ?? fallback, let url = (try? HTTPURL(wanted)) ?? fallback else {
            return
        }
        let claims = FileNameClaims(origin: url)

        let fields = fields(of: Array(value))
        let names = ContentDisposition.fileNames(in: fields)
        try require(names.count <= 2, "\(names.count) names")
        for name in names.compactMap({ FileName(stated: $0) }) { try claims.checkStated(name) }
        if let name = FileName(statedBy: fields, from: address, for: url) { try claims.checkStated(name) }

        let written = String(
            decoding: Array(lines.remaining().joined(separator: [UInt8(ascii: "\n")])),
            as: UTF8.self
        )
        if let name = FileName(stated: written) { try claims.checkStated(name) }
        try checkReadBack(written)
    }

    private static func fields(of value: [UInt8]) -> HTTPFields {
        var fields = HTTPFields()
        (Array("Content-Disposition: ".utf8) + value).withUnsafeBytes { fields.append(line: $0) }
        return fields
    }

    /// What is written by the rules is read as it was meant.
    private static func checkReadBack(_ name: String) throws(BrokenClaim) {
        let escaped = name.utf8.map { "%" + String(256 + Int($0), radix: 16).suffix(2) }.joined()
        let extended = Array("attachment; filename*=UTF-8'en'\(escaped)".utf8)
        if extended.count <= ContentDisposition.maximumLength {
            let read = ContentDisposition.fileNames(in: fields(of: extended))
            try require(read.map { Array($0.utf8) } == [Array(name.utf8)], "\(name.debugDescription) becomes \(read)")
        }
        // These end the line.
        if name.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D }) { return }
        let quoted = name.utf8.flatMap { $0 == 0x22 || $0 == 0x5C ? [0x5C, $0] : [$0] }
        let plain = Array("attachment; filename=\"".utf8) + quoted + [0x22]
        if plain.count > ContentDisposition.maximumLength { return }
        let read = ContentDisposition.fileNames(in: fields(of: plain))
        try require(read.map { Array($0.utf8) } == [Array(name.utf8)], "\(name.debugDescription) becomes \(read)")
    }
}

extension FileNameClaims {
    /// A name that a server gave is safe, needs no further repair, and is neither hidden nor an option.
    func checkStated(_ name: FileName) throws(BrokenClaim) {
        try checkSafe(name)
        let text = name.text
        try require(FileName(stated: text) == name, "\(text.debugDescription) is repaired again")
        try require(!text.hasPrefix(".") && !text.hasPrefix("-"), "\(text.debugDescription) begins like an option")
        let misleads = text.unicodeScalars.contains {
            $0.properties.isBidiControl || $0.properties.generalCategory == .control
        }
        try require(!misleads && !text.utf8.contains(0x5C), "\(text.debugDescription) misleads")
        try require(text.utf8.count <= 230, "\(text.utf8.count) bytes")
    }
}
