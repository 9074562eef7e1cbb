/// Sizes, speeds and times as people read them, the same in every locale: what a script has learned to read stays.
enum ByteText {
    /// "0 B", "999 B", "12.3 MB", "40 MB": decimal units, at most one digit after the point.
    static func size(_ bytes: Int64) -> String {
        let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]
        var value = Double(max(bytes, 0))
        var unit = 0
        // 999,950 kB would read "1000 kB" after rounding, so the next unit starts where rounding reaches it.
        while unit < units.count - 1, value >= (unit == 0 ? 1000 : 999.95) {
            value /= 1000
            unit += 1
        }
        let tenths = Int((value * 10).rounded())
        let text = tenths % 10 == 0 || unit == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
        return "\(text) \(units[unit])"
    }

    /// "3.2 MB/s".
    static func speed(_ bytesPerSecond: Double) -> String {
        // What is not greater than zero may also be no number.
        let speed = bytesPerSecond > 0 ? min(bytesPerSecond, 1e18) : 0
        return "\(size(Int64(speed.rounded())))/s"
    }

    /// "9 s", "3 min 20 s", "2 h 5 min", "4 d 3 h"; a fraction of a second counts as a whole one.
    static func time(_ duration: Duration) -> String {
        let (whole, fraction) = duration.components
        let seconds = max(0, whole) + (fraction > 0 ? 1 : 0)
        switch seconds {
        case ..<60: return "\(seconds) s"
        case ..<3600: return pair(seconds / 60, "min", seconds % 60, "s")
        case ..<86400: return pair(seconds / 3600, "h", seconds % 3600 / 60, "min")
        default: return pair(seconds / 86400, "d", seconds % 86400 / 3600, "h")
        }
    }

    private static func pair(_ large: Int64, _ largeUnit: String, _ small: Int64, _ smallUnit: String) -> String {
        small == 0 ? "\(large) \(largeUnit)" : "\(large) \(largeUnit) \(small) \(smallUnit)"
    }
}
