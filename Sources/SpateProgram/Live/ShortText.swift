import Spate

/// Sizes, speeds and times in few columns.
enum ShortText {
    /// "12.3 MB/40 MB"; at most 17 columns.
    static func amount(_ progress: DownloadProgress) -> String {
        let received = DownloadFormat.size(progress.receivedBytes)
        guard let total = progress.totalBytes else { return received }
        return "\(received)/\(DownloadFormat.size(total))"
    }

    /// "3.2 MB/s"; at most 10 columns, and empty where nothing moves.
    static func speed(_ bytesPerSecond: Double) -> String {
        guard bytesPerSecond >= 0.5 else { return "" }
        return DownloadFormat.size(Int64(min(bytesPerSecond, 1e18).rounded())) + "/s"
    }

    /// "9s", "3m20s", "2h5m", "4d3h"; at most 6 columns.
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

    /// "42%", never "100%" before the end; empty where the size is not known.
    static func percent(_ progress: DownloadProgress) -> String {
        guard let fraction = progress.fractionCompleted else { return "" }
        return "\(max(0, Int(fraction * 100)))%"
    }
}
