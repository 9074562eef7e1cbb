/// What has happened in a world, in its order. Its digest tells whether two runs were the same.
package final class Trace: @unchecked Sendable {
    /// How many of the last lines are kept.
    package var kept = 0
    /// Called with each line as it comes.
    package var print: ((String) -> Void)?
    private var lines: [String] = []
    /// FNV-1a over all lines.
    package private(set) var digest: UInt64 = 0xCBF2_9CE4_8422_2325

    package func note(_ now: Duration, _ line: String) {
        for byte in line.utf8 { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
        digest = (digest ^ UInt64(bitPattern: Int64(now / .nanoseconds(1)))) &* 0x100_0000_01B3
        guard kept > 0 || print != nil else { return }
        let milliseconds = Int64(now / .microseconds(1))
        let text = "\(milliseconds / 1_000).\(String(1_000 + milliseconds % 1_000).dropFirst()) ms  \(line)"
        print?(text)
        lines.append(text)
        if lines.count > 2 * kept { lines.removeFirst(lines.count - kept) }
    }

    /// The last lines.
    package var end: [String] { Array(lines.suffix(kept)) }
}

extension Timeline {
    package func note(_ line: String) { trace.note(now, line) }
}
