/// Takes the header fields out of HPACK's blocks (RFC 7541), one connection's in the order in which they come.
package struct HeaderDecoder {
    /// What came is no HPACK.
    package struct Malformed: Error {}

    private var table = HeaderTable()

    package init() {}

    package mutating func decode(_ block: [UInt8]) throws(Malformed) -> [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        var rest = block[...]
        while let first = rest.first {
            switch first {
            case 0x80...:
                fields.append(try known(Self.integer(&rest, prefix: 7)))
            case 0x40...:
                let field = try literal(&rest, prefix: 6)
                table.insert(name: field.name, value: field.value)
                fields.append(field)
            case 0x20...:
                table.setLimit(try Self.integer(&rest, prefix: 5))
            default:
                fields.append(try literal(&rest, prefix: 4))
            }
        }
        return fields
    }

    private func known(_ index: Int) throws(Malformed) -> (name: String, value: String) {
        guard let field = table[index] else { throw Malformed() }
        return field
    }

    private func literal(
        _ rest: inout ArraySlice<UInt8>,
        prefix: Int
    ) throws(Malformed) -> (name: String, value: String) {
        let index = try Self.integer(&rest, prefix: prefix)
        let name = index == 0 ? try Self.text(&rest) : try known(index).name
        return (name, try Self.text(&rest))
    }

    private static func text(_ rest: inout ArraySlice<UInt8>) throws(Malformed) -> String {
        let isCoded = rest.first.map { $0 & 0x80 != 0 } ?? false
        let count = try integer(&rest, prefix: 7)
        guard count <= rest.count else { throw Malformed() }
        let bytes = rest.prefix(count)
        rest = rest.dropFirst(count)
        guard let text = isCoded ? HuffmanCode.decode(bytes) : String(decoding: bytes, as: UTF8.self) else {
            throw Malformed()
        }
        return text
    }

    private static func integer(_ rest: inout ArraySlice<UInt8>, prefix: Int) throws(Malformed) -> Int {
        guard let first = rest.popFirst() else { throw Malformed() }
        let most = (1 << prefix) - 1
        var value = Int(first) & most
        guard value == most else { return value }
        for shift in stride(from: 0, through: 28, by: 7) {
            guard let byte = rest.popFirst() else { throw Malformed() }
            value += (Int(byte) & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
        }
        throw Malformed()
    }
}
