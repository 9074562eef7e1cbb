extension UInt8 {
    /// XML's white space.
    var isXMLSpace: Bool { self == 0x20 || self == 0x0A || self == 0x09 || self == 0x0D }

    /// Whether an ASCII character may stand in a name without a colon.
    var isXMLNameByte: Bool {
        isXMLNameStart || self &- 0x30 < 10 || self == UInt8(ascii: "-") || self == UInt8(ascii: ".")
    }

    /// Whether an ASCII character may begin a name.
    var isXMLNameStart: Bool { (self | 0x20) &- 0x61 < 26 || self == UInt8(ascii: "_") }

    /// The value of a hexadecimal digit.
    var hexadecimalValue: UInt8? {
        // Digits of a digest are random: choosing a value is faster than a branch.
        let (digit, letter) = (self &- 0x30, (self | 0x20) &- 0x61)
        let value = digit < 10 ? digit : letter &+ 10
        return (digit < 10) != (letter < 6) ? value : nil
    }
}

extension Unicode.Scalar {
    /// XML's `Char`.
    var isXMLCharacter: Bool {
        switch value {
        case 0x09, 0x0A, 0x0D, 0x20...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }

    /// Whether a character beyond ASCII may begin a name.
    var isXMLNameStart: Bool {
        switch value {
        case 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2FF, 0x370...0x37D, 0x37F...0x1FFF, 0x200C...0x200D, 0x2070...0x218F,
            0x2C00...0x2FEF, 0x3001...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFFD, 0x10000...0xEFFFF:
            true
        default: false
        }
    }

    /// Whether a character beyond ASCII may stand in a name.
    var isXMLNameCharacter: Bool {
        switch value {
        case 0xB7, 0x300...0x36F, 0x203F...0x2040: true
        default: isXMLNameStart
        }
    }
}
