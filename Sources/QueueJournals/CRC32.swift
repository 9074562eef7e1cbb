/// The CRC-32 of IEEE 802.3, which detects every error burst of up to 32 bits.
enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
    }

    static func of(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        let (table, bytes) = (table.span, bytes.span)
        var value = UInt32.max
        for index in bytes.indices { value = table[Int((value ^ UInt32(bytes[index])) & 0xFF)] ^ value >> 8 }
        return ~value
    }
}
