/// The text of a record in a file of its own: a line `NAME=VALUE` for each attribute that there would be.
package struct Sidecar: Hashable, Sendable {
    package var record: ResumeRecord
    /// When the finished file was last written to, in seconds since 1970. A sidecar has no bond with the file beside
    /// it: should that be replaced by somebody else's, this tells.
    package var modified: Int64?

    /// More than any sidecar is long, and all that is ever read of one.
    package static let maximumLength = 70_000

    private static let modifiedName = "modified"

    package init(record: ResumeRecord, modified: Int64? = nil) {
        self.record = record
        self.modified = modified
    }

    /// Reads `text` back. Lines that make no sense are passed over; of two of one name the first counts.
    package init(bytes: UnsafeRawBufferPointer) {
        self.init(record: ResumeRecord())
        for line in bytes.prefix(Self.maximumLength).split(separator: UInt8(ascii: "\n")) {
            guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { continue }
            // Nothing is repaired: a tag that is no UTF-8 would become another tag.
            guard let name = String(validating: line[..<equals], as: UTF8.self),
                let value = String(validating: line[(equals + 1)...], as: UTF8.self)
            else { continue }
            if let field = RecordField(rawValue: name) {
                if record[field] == nil { record[field] = value }
            } else if name == Self.modifiedName, modified == nil {
                modified = Int64(strictDecimal: value.utf8)
            }
        }
    }

    package var text: String {
        var text = ""
        for field in RecordField.allCases {
            // No value has a line end in it: that is checked where values come in.
            if let value = record[field] { text += "\(field.rawValue)=\(value)\n" }
        }
        if let modified { text += "\(Self.modifiedName)=\(modified)\n" }
        return text
    }
}
