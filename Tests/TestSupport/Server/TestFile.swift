package import Foundation

/// A file as an origin server has it.
package struct TestFile: Sendable {
    package var bytes: [UInt8]
    /// With its quotes, and `W/` where it is weak.
    package var etag: String?
    package var lastModified: Date?
    /// More fields for each answer that bears the file or a part of it.
    package var fields: [(name: String, value: String)]

    package init(
        _ bytes: [UInt8],
        etag: String? = nil,
        lastModified: Date? = nil,
        fields: KeyValuePairs<String, String> = [:]
    ) {
        self.bytes = bytes
        self.etag = etag
        self.lastModified = lastModified
        self.fields = fields.map { ($0.key, $0.value) }
    }

    package init(_ text: String, etag: String? = nil, lastModified: Date? = nil) {
        self.init(Array(text.utf8), etag: etag, lastModified: lastModified)
    }

    /// Whether an If-Range with this value lets a part of the file be sent: strong comparison, or the exact date.
    func matches(ifRange: String) -> Bool {
        if let etag, !etag.hasPrefix("W/"), ifRange == etag { return true }
        return ifRange == lastModified?.httpText
    }
}
