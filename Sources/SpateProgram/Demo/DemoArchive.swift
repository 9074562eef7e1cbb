/// An archive as `tar` makes it, of files with made bytes: something to unpack.
struct DemoArchive {
    private(set) var bytes: [UInt8] = []

    /// - Parameter files: by their names, which must be of less than 100 ASCII characters.
    init(_ files: [(name: String, bytes: [UInt8])]) {
        for file in files {
            bytes += Self.header(of: file.name, size: file.bytes.count)
            bytes += file.bytes
            pad()
        }
        // Two empty blocks are its end.
        bytes += [UInt8](repeating: 0, count: 1024)
    }

    private mutating func pad() {
        bytes += [UInt8](repeating: 0, count: (512 - bytes.count % 512) % 512)
    }

    private static func header(of name: String, size: Int) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: 512)
        let put = { (text: String, place: Int, header: inout [UInt8]) in
            for (index, byte) in text.utf8.enumerated() { header[place + index] = byte }
        }
        put(String(name.prefix(99)), 0, &header)
        put("0000644", 100, &header)
        put("0000000", 108, &header)
        put("0000000", 116, &header)
        put(octal(size, 11), 124, &header)
        put(octal(1_700_000_000, 11), 136, &header)
        put("        0", 148, &header)
        put("ustar", 257, &header)
        put("00", 263, &header)
        // The sum is taken with spaces in its own place.
        let sum = header.reduce(0) { $0 + Int($1) }
        put(octal(sum, 6) + "\0 ", 148, &header)
        return header
    }

    private static func octal(_ number: Int, _ digits: Int) -> String {
        let text = String(number, radix: 8)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
