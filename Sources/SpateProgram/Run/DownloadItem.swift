import Foundation

/// One file to fetch.
struct DownloadItem: Sendable {
    let source: DownloadURL
    /// The chosen file name. `nil` leaves the choice to the library.
    var fileName: String?

    /// The name in messages, before the file has its own.
    var name: String {
        if let fileName { return PlainText.oneLine(fileName) }
        let last = PlainText.oneLine(source.url.lastPathComponent)
        return last.isEmpty || last == "/" ? source.shown : last
    }
}
