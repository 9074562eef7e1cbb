/// Writes header fields as HPACK's plainest form: literals that nobody has to remember.
enum HeaderEncoder {
    static func encode(_ fields: [(name: String, value: String)]) -> [UInt8] {
        var block: [UInt8] = []
        for (name, value) in fields {
            block.append(0)
            append(name, to: &block)
            append(value, to: &block)
        }
        return block
    }

    private static func append(_ text: String, to block: inout [UInt8]) {
        var count = text.utf8.count
        if count < 0x7F {
            block.append(UInt8(count))
        } else {
            block.append(0x7F)
            count -= 0x7F
            while count >= 0x80 {
                block.append(UInt8(count & 0x7F | 0x80))
                count >>= 7
            }
            block.append(UInt8(count))
        }
        block += text.utf8
    }
}
