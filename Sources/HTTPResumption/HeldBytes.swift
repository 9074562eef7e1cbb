/// What is on disk of an entity, and trusted to be its beginning.
package struct HeldBytes: Hashable, Sendable {
    package let length: Int64
    /// The size of the whole entity, where a response told it.
    package let total: Int64?
    package let validator: EntityValidator?
    /// The Content-Encoding of the stored octets, as `ResponseHead.contentEncoding` gave it.
    package let encoding: String?

    package static let none = HeldBytes(length: 0)

    /// Negative numbers, which no file and no response has, count as nothing known.
    package init(
        length: Int64,
        total: Int64? = nil,
        validator: EntityValidator? = nil,
        encoding: String? = nil
    ) {
        self.length = max(0, length)
        self.total = total.flatMap { $0 < 0 ? nil : $0 }
        self.validator = validator
        self.encoding = encoding
    }
}
