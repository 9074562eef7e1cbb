/// Header lines parsed in the simplest way, to compare with `HTTPFields`.
struct PlainFields {
    private(set) var fields: [(name: String, value: [UInt8])] = []

    private static let tokenBytes = Set(
        "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8
    )

    init(_ lines: [ArraySlice<UInt8>]) {
        var continues = false
        for line in lines {
            var line = Array(line)
            while let last = line.last, last == 0x0A || last == 0x0D { line.removeLast() }
            if line.isEmpty { continue }
            if line[0] == 0x20 || line[0] == 0x09 {
                let more = Self.stripped(line)
                guard continues, let last = fields.indices.last, !more.isEmpty else { continue }
                fields[last].value += (fields[last].value.isEmpty ? [] : [0x20]) + more
                continue
            }
            let name = Array(line.prefix { $0 != UInt8(ascii: ":") })
            continues = name.count < line.count && !name.isEmpty && Self.tokenBytes.isSuperset(of: name)
            guard continues else { continue }
            let value = Self.stripped(Array(line[(name.count + 1)...]))
            fields.append((String(decoding: name, as: UTF8.self).lowercased(), value))
        }
    }

    func values(of name: String) -> [[UInt8]] { fields.filter { $0.name == name }.map(\.value) }

    static func stripped(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        while bytes.last == 0x20 || bytes.last == 0x09 { bytes.removeLast() }
        return Array(bytes.drop { $0 == 0x20 || $0 == 0x09 })
    }

    /// As in `HTTPFields`: UTF-8, or else Latin-1.
    static func text(_ value: [UInt8]) -> String {
        String(validating: value, as: UTF8.self) ?? String(String.UnicodeScalarView(value.map { Unicode.Scalar($0) }))
    }
}
