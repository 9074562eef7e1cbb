import SpateHTTPSyntax
import SpatePartialFiles

extension FuzzTarget {
    /// A URL; a name from the caller; the bytes of a name to repair, including line ends.
    static let fileName = FuzzTarget(name: "file-name") { bytes throws(BrokenClaim) in
        var lines = InputLines(bytes)
        let written = lines.nextText()
        guard let url = (try? HTTPURL(written)) ?? (try? HTTPURL("http://host/file")) else { return }
        let claims = FileNameClaims(origin: url)
        let chosen = lines.nextText()
        let raw = lines.remaining().joined(separator: [UInt8(ascii: "\n")])

        for name in claims.derived { try claims.checkSafe(name) }
        try claims.checkRepaired(FileName(derivedFrom: url))
        let repaired = FileName(repairing: Array(raw))
        try claims.checkSafe(repaired)
        try claims.checkRepaired(repaired)
        if let explicit = try? FileName(explicit: chosen) {
            try require(explicit.text.utf8.elementsEqual(chosen.utf8), "\(chosen) is repaired to \(explicit)")
            try claims.checkSafe(explicit)
        }
    }
}
