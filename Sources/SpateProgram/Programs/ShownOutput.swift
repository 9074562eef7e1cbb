import SpateConsole

/// What a program says, cut into lines for people. Bounded: the first 64 KiB, and 1,000 bytes of a line.
struct ShownOutput {
    private static let mostBytes = 65_536
    private static let longestLine = 1_000

    private let show: (String) -> Void
    private var line: [UInt8] = []
    private var count = 0

    init(show: @escaping (String) -> Void) {
        self.show = show
    }

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes where count <= Self.mostBytes {
            count += 1
            if count > Self.mostBytes {
                end()
                show("(the rest of its output is not shown)")
            } else if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
                end()
            } else if line.count < Self.longestLine {
                line.append(byte)
            }
        }
    }

    /// Shows what is left of a line.
    mutating func end() {
        let text = PlainText.oneLine(String(decoding: line, as: UTF8.self))
        line = []
        if text.contains(where: { $0 != " " }) { show(text) }
    }
}
