/// A bar of a fixed width.
struct ProgressBar {
    enum Content: Equatable {
        /// From 0 to 1.
        case part(Double)
        /// Something moves, and nobody knows how far it is. The mark moves with the number.
        case moving(Int)
        case empty
    }

    let content: Content
    let columns: Int

    func text(_ style: DrawingStyle, _ paint: Paint?) -> String {
        style.hasBlocks ? blocks(style, paint) : characters(style, paint)
    }

    /// Eighths of a column, so that it also moves where a column stands for minutes.
    private func blocks(_ style: DrawingStyle, _ paint: Paint?) -> String {
        let track = { (columns: Int) in style.paint(String(repeating: "·", count: columns), .background) }
        switch content {
        case .empty: return track(columns)
        case .moving(let step):
            let (start, length) = mark(step, in: columns)
            return track(start) + style.paint(String(repeating: "█", count: length), paint)
                + track(columns - start - length)
        case .part(let fraction):
            let eighths = Self.steps(of: fraction, in: columns * 8)
            let full = String(repeating: "█", count: eighths / 8) + Self.eighths[eighths % 8]
            return style.paint(full, paint) + track(columns - (eighths + 7) / 8)
        }
    }

    private static let eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

    private func characters(_ style: DrawingStyle, _ paint: Paint?) -> String {
        let inner = max(0, columns - 2)
        let (start, length) =
            switch content {
            case .empty: (0, 0)
            case .moving(let step): mark(step, in: inner)
            case .part(let fraction): (0, Self.steps(of: fraction, in: inner))
            }
        let spaces = { (columns: Int) in String(repeating: " ", count: columns) }
        let full = style.paint(String(repeating: "#", count: length), paint)
        return "[" + spaces(start) + full + spaces(inner - start - length) + "]"
    }

    /// Rounded down: it is full only at the end.
    private static func steps(of fraction: Double, in count: Int) -> Int {
        max(0, min(count, Int(fraction * Double(count))))
    }

    /// A fifth of the bar, which goes to the end and back.
    private func mark(_ step: Int, in columns: Int) -> (start: Int, length: Int) {
        let length = min(columns, max(1, columns / 5))
        let way = columns - length
        guard way > 0 else { return (0, length) }
        let position = step % (2 * way)
        return (position <= way ? position : 2 * way - position, length)
    }
}
