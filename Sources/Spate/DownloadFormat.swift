import SpateHTTPSyntax

/// Formats sizes, speeds and times for people. The form is the same in every locale, so scripts can rely on it.
///
///     DownloadFormat.size(12_300_000)     // "12.3 MB"
///     DownloadFormat.speed(3_200_000)     // "3.2 MB/s"
///     DownloadFormat.time(.seconds(200))  // "3 min 20 s"
public enum DownloadFormat {
    /// A number of bytes in decimal units, with at most one decimal: "0 B", "999 B", "12.3 MB", "40 MB".
    ///
    /// A negative number is written as "0 B".
    public static func size(_ bytes: Int64) -> String {
        let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]
        var value = Double(max(bytes, 0))
        var unit = 0
        // The next unit starts where rounding would give "1000 kB".
        while unit < units.count - 1, value >= (unit == 0 ? 1000 : 999.95) {
            value /= 1000
            unit += 1
        }
        let tenths = Int((value * 10).rounded())
        let text = tenths % 10 == 0 || unit == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
        return "\(text) \(units[unit])"
    }

    /// A part of a total: "12.3 MB of 40 MB", or just "40 MB" if all has arrived or the total is unknown.
    public static func amount(_ bytes: Int64, of total: Int64?) -> String {
        guard let total, total != bytes else { return size(bytes) }
        return "\(size(bytes)) of \(size(total))"
    }

    /// A speed: "3.2 MB/s", at most "1 EB/s". A negative number or NaN is written as "0 B/s".
    public static func speed(_ bytesPerSecond: Double) -> String {
        // NaN fails this comparison, too.
        let speed = bytesPerSecond > 0 ? min(bytesPerSecond, 1e18) : 0
        return "\(size(Int64(speed.rounded())))/s"
    }

    /// An HTTP status with its registered words: "404 Not Found"; "599" if it has none.
    public static func status(_ code: Int) -> String { StatusPhrase.text(code) ?? "\(code)" }

    /// A remaining time in at most two units: "9 s", "3 min 20 s", "2 h 5 min", "4 d 3 h".
    ///
    /// Fractions of a second are rounded up; a negative time is written as "0 s".
    public static func time(_ duration: Duration) -> String {
        // A longer one has no components.
        let (whole, fraction) = min(max(duration, .zero), .seconds(Int64.max)).components
        let seconds = whole + (fraction > 0 ? 1 : 0)
        switch seconds {
        case ..<60: return "\(seconds) s"
        case ..<3600: return pair(seconds / 60, "min", seconds % 60, "s")
        case ..<86400: return pair(seconds / 3600, "h", seconds % 3600 / 60, "min")
        default: return pair(seconds / 86400, "d", seconds % 86400 / 3600, "h")
        }
    }

    /// An elapsed time: "0.4 s", "9.9 s", and from ten seconds on as ``time(_:)`` writes it.
    ///
    /// Tenths are rounded up, so only a duration of zero is written as "0 s".
    public static func elapsed(_ duration: Duration) -> String {
        let tenth = 100_000_000_000_000_000 as Int64
        guard duration < .seconds(10) else { return time(duration) }
        let (whole, fraction) = max(duration, .zero).components
        let tenths = whole * 10 + (fraction + tenth - 1) / tenth
        return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
    }

    private static func pair(_ large: Int64, _ largeUnit: String, _ small: Int64, _ smallUnit: String) -> String {
        small == 0 ? "\(large) \(largeUnit)" : "\(large) \(largeUnit) \(small) \(smallUnit)"
    }
}
