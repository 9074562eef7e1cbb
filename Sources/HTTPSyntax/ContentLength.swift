/// The combined value of all Content-Length fields of a message (RFC 9110, section 8.6).
package enum ContentLength: Hashable, Sendable {
    case absent
    /// One number, stated once or repeated.
    case exact(Int64)
    /// Numbers that differ: the end of the message is unknown.
    case conflicting
    /// Not a number from 0 to 2^63 - 1. Holds the start of the text for the error message.
    case invalid(String)

    package init(_ fields: HTTPFields) {
        var length = ContentLength.absent
        fields.forEachValue(of: "content-length") { length.add($0) }
        self = length
    }

    private mutating func add(_ value: ArraySlice<UInt8>) {
        // Fast path: nearly always one plain number.
        if let number = Int64(digits: value.span) { return add(number) }
        for member in value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            let digits = HTTPFields.trimmed(member)
            if let number = Int64(digits: digits.span) {
                add(number)
            } else if case .invalid = self {
                return
            } else {
                self = .invalid(String(HTTPFields.text(value).prefix(40)))
            }
        }
    }

    private mutating func add(_ number: Int64) {
        switch self {
        case .exact(let other) where other != number: self = .conflicting
        case .absent: self = .exact(number)
        case .exact, .conflicting, .invalid: break
        }
    }
}
