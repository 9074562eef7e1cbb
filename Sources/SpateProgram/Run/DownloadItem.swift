import Foundation
import Spate

/// One file to fetch.
struct DownloadItem: Sendable {
    let source: DownloadURL
    /// The chosen file name. `nil` leaves the choice to the library.
    var fileName: String?
    /// The folder of this file alone, from a list.
    var directory: String?
    /// The headers of this file alone, from a list.
    var headers: [HeaderField] = []
    /// The checksum of this file, from a list.
    var checksum: Checksum?
    /// Other places of this file, from a list.
    var mirrors: [DownloadURL] = []
    /// Whether a partial file is the part of an update.
    var isUpdate = false

    /// The name in messages, before the file has its own.
    var name: String {
        if let fileName { return PlainText.oneLine(fileName) }
        let last = PlainText.oneLine(source.url.lastPathComponent)
        return last.isEmpty || last == "/" ? source.shown : last
    }

    /// The folder of this file alone, as an absolute URL.
    var folder: URL? { directory.map { URL(fileURLWithPath: $0, isDirectory: true).absoluteURL } }

    /// What belongs to this file alone, besides its URL.
    var particulars: Particulars {
        Particulars(
            login: source.credentials,
            fileName: fileName,
            folder: folder,
            headers: headers,
            checksum: checksum,
            mirrors: mirrors.map(\.url)
        )
    }

    struct Particulars: Hashable, Sendable {
        var login = ""
        var fileName: String?
        var folder: URL?
        var headers: [HeaderField] = []
        var checksum: Checksum?
        var mirrors: [URL] = []

        /// Whether nothing that `spate resume` would need is lost with the list.
        var isPlain: Bool { folder == nil && headers.isEmpty && checksum == nil && mirrors.isEmpty }
    }
}
