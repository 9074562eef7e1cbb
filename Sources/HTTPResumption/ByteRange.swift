/// The bytes that a request asks for: from an offset to the end, or to a last one.
package struct ByteRange: Hashable, Sendable {
    package let first: Int64
    /// The last byte asked for; `nil` for the rest.
    package let last: Int64?

    /// - Precondition: `first` is not negative, and `last` not below it.
    package init(from first: Int64, through last: Int64? = nil) {
        precondition(
            first >= 0 && last ?? first >= first,
            "a range of bytes starts at zero or later and ends after that"
        )
        self.first = first
        self.last = last
    }

    /// `N-` or `N-M`: what libcurl's range option takes.
    package var text: String {
        last.map { "\(first)-\($0)" } ?? "\(first)-"
    }

    /// The value of a Range field.
    package var fieldValue: String { "bytes=" + text }
}
