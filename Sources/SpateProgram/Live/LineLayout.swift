/// Which columns a download's line has at a width: the name takes what the others leave.
struct LineLayout: Equatable {
    var bar = 0
    var percent = 0
    var amount = 0
    var speed = 0
    var time = 0

    /// What the chosen line is marked with takes two columns.
    static let marker = 2
    private static let shortestName = 8

    /// The widest that fits.
    static func fitting(_ width: Int) -> LineLayout {
        let sets = [
            LineLayout(bar: 32, percent: 4, amount: 17, speed: 10, time: 6),
            LineLayout(bar: 20, percent: 4, amount: 17, speed: 10, time: 6),
            LineLayout(bar: 12, percent: 4, amount: 17, speed: 10, time: 6),
            LineLayout(bar: 8, percent: 4, amount: 17, speed: 10, time: 6),
            LineLayout(bar: 8, percent: 4, amount: 8, speed: 10, time: 6),
            LineLayout(bar: 5, percent: 4, amount: 8, speed: 10, time: 6),
            LineLayout(bar: 5, percent: 4, speed: 10, time: 6),
            LineLayout(percent: 4, speed: 10, time: 6),
            LineLayout(percent: 4, speed: 10),
            LineLayout(percent: 4),
        ]
        // A wide bar is for lines that leave the name room as well.
        let fits = { (set: LineLayout) in width - set.fixed >= (set.bar > 12 ? 30 : set.bar > 8 ? 20 : shortestName) }
        return sets.first(where: fits) ?? LineLayout()
    }

    /// What it takes besides the name.
    var fixed: Int { Self.marker + [bar, percent, amount, speed, time].reduce(0) { $0 + ($1 > 0 ? $1 + 1 : 0) } }
}
