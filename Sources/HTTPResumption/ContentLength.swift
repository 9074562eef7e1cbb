/// What all Content-Length fields of a message say together (RFC 9110, section 8.6).
package enum ContentLength: Hashable, Sendable {
    case absent
    /// One number, be it said once or several times over.
    case exact(Int64)
    /// Numbers that differ: nobody can tell where this message ends.
    case conflicting
    /// Not a number from 0 to 2^63 - 1; what was written instead, cut to a bearable length.
    case invalid(String)

    package init(_ fields: HTTPFields) {
        self = .absent
        for value in fields.octets(of: "content-length") {
            // Nearly always it is nothing but a number.
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
