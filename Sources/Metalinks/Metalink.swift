package import SpateHTTPSyntax

/// A description of files, their digests and their mirrors: Metalink 4 (RFC 5854), or the earlier Metalink 3.
///
///     <metalink xmlns="urn:ietf:params:xml:ns:metalink">
///       <file name="example.iso">
///         <size>14471447</size>
///         <hash type="sha-256">3d6fece8…</hash>
///         <url location="de" priority="1">https://example.org/example.iso</url>
///       </file>
///     </metalink>
package struct Metalink: Hashable, Sendable {
    package enum Version: Int, Sendable {
        case three = 3
        case four
    }

    package let version: Version
    /// Where the document comes from; `nil` if it does not say, or if that is no http or https URL.
    package let origin: HTTPURL?
    /// Whether the origin may by now have another version of the document.
    package let isDynamic: Bool
    /// In the order of the document, also those without a usable mirror.
    package let files: [MetalinkFile]
}

extension Metalink {
    /// Reads a document. Unknown elements are skipped.
    package init(_ document: [UInt8], limits: MetalinkLimits = MetalinkLimits()) throws(MetalinkError) {
        var reader = try MetalinkReader(document, limits: limits)
        self = try reader.metalink()
    }
}

/// How much of a Metalink is read. A document beyond any of these is refused.
package struct MetalinkLimits: Hashable, Sendable {
    package var xml = XMLLimits()
    package var files = 10_000
    /// URLs of any kind.
    package var urlsOfOneFile = 1_000
    /// The `pieces` elements of one file, which has one for each algorithm.
    package var pieceLists = 16
    /// Of all files, also of pieces that are dropped later.
    package var pieces = 1 << 20

    package init() {}
}
