import Spate

/// The columns of a download's line. The name gets the rest of the width.
struct ColumnLayout: Equatable {
    var bar = 0
    var percent = 0
    var amount = 0
    var speed = 0
    var time = 0
    /// The number of connections; shown while a file has several.
    var connections = 0

    /// The width of the mark of the selected line.
    static let marker = 2
    private static let shortestName = 8

    /// The widest layout that fits.
    static func fitting(_ width: Int, withConnections: Bool = false) -> ColumnLayout {
        let layouts = [
            ColumnLayout(bar: 32, percent: 4, amount: 17, speed: 10, time: 6),
            ColumnLayout(bar: 20, percent: 4, amount: 17, speed: 10, time: 6),
            ColumnLayout(bar: 12, percent: 4, amount: 17, speed: 10, time: 6),
            ColumnLayout(bar: 8, percent: 4, amount: 17, speed: 10, time: 6),
            ColumnLayout(bar: 8, percent: 4, amount: 8, speed: 10, time: 6),
            ColumnLayout(bar: 5, percent: 4, amount: 8, speed: 10, time: 6),
            ColumnLayout(bar: 5, percent: 4, speed: 10, time: 6),
            ColumnLayout(percent: 4, speed: 10, time: 6),
            ColumnLayout(percent: 4, speed: 10),
            ColumnLayout(percent: 4),
        ]
        // A wide bar must leave room for a longer name.
        let fits = { (layout: ColumnLayout) in
            width - layout.fixed >= (layout.bar > 12 ? 30 : layout.bar > 8 ? 20 : shortestName)
        }
        var layout = layouts.first(where: fits) ?? ColumnLayout()
        // Only if it costs no more than part of a long name.
        if withConnections, layout.amount > 8, width - layout.fixed > 20 { layout.connections = 3 }
        return layout
    }

    /// The width without the name.
    var fixed: Int {
        Self.marker + [bar, percent, amount, connections, speed, time].reduce(0) { $0 + ($1 > 0 ? $1 + 1 : 0) }
    }
}

/// Sizes, speeds and times in few columns.
enum ShortText {
    /// "12.3 MB/40 MB": at most 17 columns.
    static func amount(_ progress: DownloadProgress) -> String {
        let received = DownloadFormat.size(progress.receivedBytes)
        guard let total = progress.totalBytes else { return received }
        return "\(received)/\(DownloadFormat.size(total))"
    }

    /// "3.2 MB/s": at most 10 columns. Empty if nothing arrives.
    static func speed(_ bytesPerSecond: Double) -> String {
        guard bytesPerSecond >= 0.5 else { return "" }
        return DownloadFormat.size(Int64(min(bytesPerSecond, 1e18).rounded())) + "/s"
    }

    /// "9s", "3m20s", "2h5m", "4d3h": at most 6 columns.
    static func time(_ duration: Duration) -> String {
        let (whole, fraction) = duration.components
        let seconds = max(0, whole) + (fraction > 0 ? 1 : 0)
        switch seconds {
        case ..<60: return "\(seconds)s"
        case ..<3600: return "\(seconds / 60)m\(seconds % 60)s"
        case ..<86400: return "\(seconds / 3600)h\(seconds % 3600 / 60)m"
        case ..<8_640_000: return "\(seconds / 86400)d\(seconds % 86400 / 3600)h"
        default: return ">99d"
        }
    }

    /// "42%". "100%" only at the end. Empty if the size is not known.
    static func percent(_ progress: DownloadProgress) -> String {
        guard let fraction = progress.fractionCompleted else { return "" }
        return "\(max(0, Int(fraction * 100)))%"
    }
}
