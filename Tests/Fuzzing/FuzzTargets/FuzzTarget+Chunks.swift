import SpateHTTPSyntax

extension FuzzTarget {
    /// A chunked body. The first byte says where to split it.
    static let chunks = FuzzTarget(name: "chunks") { bytes throws(BrokenClaim) in
        let message = bytes.dropFirst()
        let whole = ChunkReading([message])
        try require(whole == plainlyRead(message), "\(whole) is not what the plain parser reads")

        let cut = message.startIndex + min(Int(bytes.first ?? 0), message.count)
        let inTwo = ChunkReading([message[..<cut], message[cut...]])
        try require(inTwo == whole, "split in two it reads \(inTwo), otherwise \(whole)")
        let inBytes = ChunkReading(message.indices.map { message[$0...$0] })
        try require(inBytes == whole, "byte by byte it reads \(inBytes), otherwise \(whole)")

        let capped = ChunkReading([message], overheadLimit: 20)
        try require(capped == whole || capped.fault == .tooMuchOverhead, "a limit leads to \(capped)")
        try require(whole.body.starts(with: capped.body), "a limit changes the body")
    }

    /// RFC 9112, section 7.1, for a whole message.
    private static func plainlyRead(_ message: ArraySlice<UInt8>) -> ChunkReading {
        var reading = ChunkReading()
        var rest = message
        while true {
            let size: Int64
            switch plainSize(&rest) {
            case .success(let found?): size = found
            case .success(nil): return reading
            case .failure(let fault):
                reading.fault = fault
                return reading
            }
            if size == 0 { break }
            let run = rest.prefix(Int(clamping: size))
            reading.body += run
            rest = rest.dropFirst(run.count)
            guard run.count == size, !rest.isEmpty else { return reading }
            let isLong = rest.first == 13
            guard let end = isLong ? rest.dropFirst().first : rest.first else { return reading }
            guard end == 10 else {
                reading.fault = .missingLineEnd
                return reading
            }
            rest = rest.dropFirst(isLong ? 2 : 1)
        }
        // Trailers, up to an empty line.
        while let end = rest.firstIndex(of: 10) {
            let line = rest[..<end]
            if line.first == 13, line.count > 1 { break }
            rest = rest[(end + 1)...]
            guard line.isEmpty || line.elementsEqual([13]) else { continue }
            reading.isComplete = true
            reading.excess = rest.count
            return reading
        }
        if rest.first == 13, rest.count > 1 { reading.fault = .missingLineEnd }
        return reading
    }

    /// Removes the size line at the front and returns the size; `nil` if the line is incomplete.
    private static func plainSize(_ rest: inout ArraySlice<UInt8>) -> Result<Int64?, ChunkFault> {
        let digits = rest.prefix { isHexadecimal($0) }
        let text = String(decoding: digits, as: UTF8.self)
        guard digits.count <= 16, digits.isEmpty || Int64(text, radix: 16) != nil else { return .failure(.invalidSize) }
        guard digits.count < rest.count else { return .success(nil) }
        guard let size = Int64(text, radix: 16) else { return .failure(.invalidSize) }
        let after = rest[digits.endIndex...].drop { $0 == 32 || $0 == 9 }
        guard let next = after.first else { return .success(nil) }
        switch next {
        case 13:
            guard let second = after.dropFirst().first else { return .success(nil) }
            guard second == 10 else { return .failure(.missingLineEnd) }
        case 10, UInt8(ascii: ";"): break
        default: return .failure(.invalidSize)
        }
        guard let end = after.firstIndex(of: 10) else { return .success(nil) }
        rest = rest[(end + 1)...]
        return .success(size)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        "0123456789abcdefABCDEF".utf8.contains(byte)
    }
}
