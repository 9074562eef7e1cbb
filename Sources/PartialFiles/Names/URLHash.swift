package import HTTPResumption

/// A short mark of a URL, to tell files apart that want one name. It proves nothing: the record in the file does.
package struct URLHash: Hashable, Sendable {
    /// 64-bit FNV-1a of the canonical text.
    package let value: UInt64

    package init(_ url: HTTPURL) {
        value = url.text.utf8.reduce(0xcbf2_9ce4_8422_2325) { hash, byte in
            (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
        }
    }

    /// Eight hexadecimal digits: enough but for a collision in tens of thousands.
    package var digits8: String { String(digits16.prefix(8)) }

    package var digits16: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
