import Spate

/// Sizes, speeds and times in few columns. Their digits keep their places: always one decimal, always two digits of the
/// smaller unit.
enum ShortText {
    static let amountColumns = 15
    static let speedColumns = 10
    static let timeColumns = 6

    /// "12.3/40.0 MB", with one unit; "12.3/~40.0 MB" if the total is an estimate; "12.3 MB" without one.
    static func amount(_ received: Int64, of total: Int64?, isEstimate: Bool = false) -> String {
        guard let total else { return size(received) }
        let unit = Unit(of: max(total, received))
        return "\(unit.number(received))/\(isEstimate ? "~" : "")\(unit.number(total)) \(unit.name)"
    }

    /// "40.0 MB", "12 B".
    static func size(_ bytes: Int64) -> String {
        let unit = Unit(of: bytes)
        return "\(unit.number(bytes)) \(unit.name)"
    }

    /// "3.2 MB/s". Empty if nothing arrives.
    static func speed(_ bytesPerSecond: Double) -> String {
        guard bytesPerSecond >= 0.5 else { return "" }
        return size(Int64(min(bytesPerSecond, 1e18).rounded())) + "/s"
    }

    /// "9s", "3m05s", "2h05m", "4d03h".
    static func time(_ duration: Duration) -> String {
        let (whole, fraction) = duration.components
        let seconds = max(0, whole) + (fraction > 0 ? 1 : 0)
        switch seconds {
        case ..<60: return "\(seconds)s"
        case ..<3600: return "\(seconds / 60)m\(twoDigits(seconds % 60))s"
        case ..<86400: return "\(seconds / 3600)h\(twoDigits(seconds % 3600 / 60))m"
        case ..<8_640_000: return "\(seconds / 86400)d\(twoDigits(seconds % 86400 / 3600))h"
        default: return ">99d"
        }
    }

    private static func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// "42%". "100%" only at the end. Empty if it is not known.
    static func percent(_ fraction: Double?) -> String {
        guard let fraction else { return "" }
        return "\(max(0, Int(fraction * 100)))%"
    }

    /// A power of 1000, with at most three digits before the decimal.
    private struct Unit {
        var name: String
        private var size: Double

        init(of bytes: Int64) {
            let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]
            var unit = 0
            size = 1
            // The next unit starts where rounding would give "1000.0 kB".
            while unit < units.count - 1, Double(bytes) / size >= (unit == 0 ? 1000 : 999.95) {
                unit += 1
                size *= 1000
            }
            name = units[unit]
        }

        func number(_ bytes: Int64) -> String {
            if size == 1 { return "\(max(bytes, 0))" }
            let tenths = Int((Double(max(bytes, 0)) / size * 10).rounded())
            return "\(tenths / 10).\(tenths % 10)"
        }
    }
}
