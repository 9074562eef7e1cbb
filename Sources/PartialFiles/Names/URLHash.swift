package import SpateHTTPSyntax

/// A hash of a URL, to separate files with the same name. It proves nothing; the record does.
package struct URLHash: Hashable, Sendable {
    /// The 64-bit FNV-1a hash of the canonical text.
    package let value: UInt64

    package init(_ url: HTTPURL) {
        self.init(text: url.text)
    }

    package init(text: String) {
        var value: UInt64 = 0xcbf2_9ce4_8422_2325
        let bytes = text.utf8.span
        for index in bytes.indices { value = (value ^ UInt64(bytes[index])) &* 0x0000_0100_0000_01b3 }
        self.value = value
    }

    /// Reads back the form of `digits16`.
    package init?(digits16 text: String) {
        guard let value = UInt64(text, radix: 16) else { return nil }
        self.value = value
        if digits16 != text { return nil }
    }

    /// Eight hexadecimal digits. A collision is likely only among tens of thousands of URLs.
    package var digits8: String { digits(8) }

    package var digits16: String { digits(16) }

    /// The first `count` of sixteen digits.
    private func digits(_ count: Int) -> String {
        String(unsafeUninitializedCapacity: count) { buffer in
            for index in 0..<count {
                let digit = UInt8(truncatingIfNeeded: value >> (60 - 4 * UInt64(index))) & 0xF
                buffer[index] = digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
            }
            return count
        }
    }
}
