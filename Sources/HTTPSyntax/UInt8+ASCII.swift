extension UInt8 {
    var isDigit: Bool { self &- 0x30 < 10 }

    var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }

    /// The C0 controls and DEL.
    var isControl: Bool { self < 0x20 || self == 0x7F }

    var isBlank: Bool { self == 0x20 || self == 0x09 }

    var lowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }

    var hexValue: UInt8? {
        if isDigit { return self &- 0x30 }
        let folded = (self | 0x20) &- 0x61
        return folded < 6 ? folded &+ 10 : nil
    }

    /// RFC 3986's `unreserved`: needs no escape anywhere in a URL.
    var isUnreserved: Bool {
        isLetter || isDigit || self == UInt8(ascii: "-") || self == UInt8(ascii: ".") || self == UInt8(ascii: "_")
            || self == UInt8(ascii: "~")
    }

    /// RFC 9110's `tchar`: allowed in a field name.
    var isTokenByte: Bool {
        if isLetter || isDigit { return true }
        switch self {
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            return true
        default: return false
        }
    }
}
