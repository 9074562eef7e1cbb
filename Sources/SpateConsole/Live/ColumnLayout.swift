/// The columns of a download's line, and of the line about all.
///
/// They depend on the terminal's width alone, so nothing moves when a number gets longer or a file begins.
struct ColumnLayout: Equatable {
    var name = 0
    var bar = 0
    var percent = 0
    var amount = 0
    /// The number of connections.
    var connections = 0
    var speed = 0
    var time = 0

    /// The width of the mark of the selected line.
    static let marker = 2
    private static let names = (shortest: 8, readable: 20, longest: 50)
    private static let bars = 10...40

    /// The widest layout that fits. If there is little room, the bar goes first, and the name's width stays readable.
    static func fitting(_ width: Int) -> ColumnLayout {
        var full = ColumnLayout(
            percent: 4,
            amount: ShortText.amountColumns,
            connections: 3,
            speed: ShortText.speedColumns,
            time: ShortText.timeColumns
        )
        let rest = width - full.fixed
        if rest > names.readable + bars.lowerBound {
            // A long line with a short name is hard to follow: the bar stands beside the name, and what is left stays
            // empty.
            let bar = min(max(bars.lowerBound, rest * 2 / 5), bars.upperBound, rest - 1 - names.readable)
            (full.name, full.bar) = (min(rest - bar - 1, names.longest), bar)
            return full
        }
        let narrower = [
            (names.readable, ColumnLayout(percent: 4, amount: full.amount, speed: full.speed, time: full.time)),
            (names.shortest, ColumnLayout(percent: 4, speed: full.speed, time: full.time)),
            (names.shortest, ColumnLayout(percent: 4, speed: full.speed)),
            (names.shortest, ColumnLayout(percent: 4)),
        ]
        var layout = narrower.first { width - $1.fixed >= $0 }?.1 ?? ColumnLayout()
        layout.name = max(0, width - layout.fixed)
        return layout
    }

    /// The width without the name.
    private var fixed: Int {
        Self.marker + [bar, percent, amount, connections, speed, time].reduce(0) { $0 + ($1 > 0 ? $1 + 1 : 0) }
    }
}
