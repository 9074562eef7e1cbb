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
        self = .absent
        for value in fields.octets(of: "content-length") {
            // Fast path: nearly always one plain number.
            if let number = Int64(digits: value.span) {
                add(number)
                continue
            }
            for member in value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
                let digits = HTTPFields.trimmed(member)
                guard let number = Int64(digits: digits.span) else {
                    self = .invalid(String(HTTPFields.text(value).prefix(40)))
                    return
                }
                add(number)
            }
        }
    }

    private mutating func add(_ number: Int64) {
        switch self {
        case .exact(let other) where other != number: self = .conflicting
        case .absent: self = .exact(number)
        default: break
        }
    }
}
