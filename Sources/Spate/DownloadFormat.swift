/// Sizes, speeds and times as people read them, the same in every locale: what a script has learned to read stays.
///
///     DownloadFormat.size(12_300_000)     // "12.3 MB"
///     DownloadFormat.speed(3_200_000)     // "3.2 MB/s"
///     DownloadFormat.time(.seconds(200))  // "3 min 20 s"
public enum DownloadFormat {
    /// A number of bytes in decimal units, with at most one digit after the point: "0 B", "999 B", "12.3 MB", "40 MB".
    /// A negative number is written as none.
    public static func size(_ bytes: Int64) -> String {
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

    /// How much of something is here: "12.3 MB of 40 MB", or "40 MB" where all is here or the whole size is not known.
    public static func amount(_ bytes: Int64, of total: Int64?) -> String {
        guard let total, total != bytes else { return size(bytes) }
        return "\(size(bytes)) of \(size(total))"
    }

    /// A number of bytes per second: "3.2 MB/s". What is no positive number is written as none; nothing is faster than
    /// "1 EB/s".
    public static func speed(_ bytesPerSecond: Double) -> String {
        // What is not greater than zero may also be no number.
        let speed = bytesPerSecond > 0 ? min(bytesPerSecond, 1e18) : 0
        return "\(size(Int64(speed.rounded())))/s"
    }

    /// A time to come, in at most two units: "9 s", "3 min 20 s", "2 h 5 min", "4 d 3 h". A fraction of a second counts
    /// as a whole one, a negative time as none.
    public static func time(_ duration: Duration) -> String {
        let (whole, fraction) = duration.components
        let seconds = max(0, whole) + (fraction > 0 && whole < Int64.max ? 1 : 0)
        switch seconds {
        case ..<60: return "\(seconds) s"
        case ..<3600: return pair(seconds / 60, "min", seconds % 60, "s")
        case ..<86400: return pair(seconds / 3600, "h", seconds % 3600 / 60, "min")
        default: return pair(seconds / 86400, "d", seconds % 86400 / 3600, "h")
        }
    }

    /// A time that has passed: "0.4 s", "9.9 s", and from ten seconds on as ``time(_:)`` writes it. A tenth that has
    /// begun counts as whole, so only nothing takes "0 s".
    public static func elapsed(_ duration: Duration) -> String {
        let tenth = 100_000_000_000_000_000 as Int64
        let (whole, fraction) = max(duration, .zero).components
        guard whole < 10 else { return time(duration) }
        let tenths = whole * 10 + (fraction + tenth - 1) / tenth
        return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
    }

    private static func pair(_ large: Int64, _ largeUnit: String, _ small: Int64, _ smallUnit: String) -> String {
        small == 0 ? "\(large) \(largeUnit)" : "\(large) \(largeUnit) \(small) \(smallUnit)"
    }
}
