import SpateHTTPResumption
import SpateHTTPSyntax

extension FileName {
    /// Longer queries tell little to a reader.
    private static let longestQuery = 80

    /// The name for a second URL that wants this one, from its query: `download-id=123`; nil if the query is empty,
    /// long, or may hold a secret.
    func variant(forQueryOf url: HTTPURL) -> FileName? {
        let bytes = url.decodedQuery
        guard bytes.count <= Self.longestQuery, !Self.mayHoldSecret(bytes) else { return nil }
        let query = FileName(repairing: bytes)
        // The repair gives an empty query a name.
        if query == FileName(repairing: []) { return nil }
        return FileName(repairing: Array(variant(query.text).text.utf8))
    }

    /// Judges by the names of the parameters. Everybody may read the name of a file.
    private static func mayHoldSecret(_ query: [UInt8]) -> Bool {
        query.split { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: ";") }.contains { parameter in
            let name = String(decoding: parameter.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
            return RedirectRules.mayBeSecret(name, privateNames: []) || name.lowercased().contains("sig")
        }
    }
}
