/// The bytes of a generated file. They depend only on seed and offset, so nothing has to be stored for the comparison.
struct DemoContent: Sendable, Equatable {
    let seed: UInt64
    let size: Int
    /// Stored bytes, for a file with a given content.
    private var stored: [UInt8]?

    init(seed: UInt64, size: Int) {
        self.seed = seed
        self.size = size
    }

    init(stored: [UInt8]) {
        seed = 0
        size = stored.count
        self.stored = stored
    }

    /// The bytes of a range within the file.
    func bytes(_ range: Range<Int>) -> [UInt8] {
        if let stored { return Array(stored[range]) }
        let first = range.lowerBound / 8
        let skipped = range.lowerBound - first * 8
        return [UInt8](unsafeUninitializedCapacity: skipped + range.count + 8) { buffer, count in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            var index = first
            for offset in stride(from: 0, to: skipped + range.count, by: 8) {
                raw.storeBytes(of: word(index).littleEndian, toByteOffset: offset, as: UInt64.self)
                index += 1
            }
            if skipped > 0 {
                raw.copyBytes(from: UnsafeRawBufferPointer(rebasing: raw[skipped..<(skipped + range.count)]))
            }
            count = range.count
        }
    }

    /// SplitMix64. Any word can be computed without the ones before it.
    private func word(_ index: Int) -> UInt64 {
        var z = seed &+ (UInt64(truncatingIfNeeded: index) &+ 1) &* 0x9E37_79B9_7F4A_7C15
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

/// A tar archive.
struct DemoArchive {
    private(set) var bytes: [UInt8] = []

    /// - Parameter files: names of less than 100 ASCII characters, and contents.
    init(_ files: [(name: String, bytes: [UInt8])]) {
        for file in files {
            bytes += Self.header(of: file.name, size: file.bytes.count)
            bytes += file.bytes
            pad()
        }
        // Two empty blocks end the archive.
        bytes += [UInt8](repeating: 0, count: 1024)
    }

    private mutating func pad() {
        bytes += [UInt8](repeating: 0, count: (512 - bytes.count % 512) % 512)
    }

    private static func header(of name: String, size: Int) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: 512)
        let put = { (text: String, offset: Int, header: inout [UInt8]) in
            for (index, byte) in text.utf8.enumerated() { header[offset + index] = byte }
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
        // The checksum is computed with spaces in its own field.
        let sum = header.reduce(0) { $0 + Int($1) }
        put(octal(sum, 6) + "\0 ", 148, &header)
        return header
    }

    private static func octal(_ number: Int, _ digits: Int) -> String {
        let text = String(number, radix: 8)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
