import Foundation
import Spate
import SpateConsole

/// One file to fetch.
struct DownloadItem: Sendable {
    let source: DownloadURL
    /// The chosen file name. `nil` leaves the choice to the library.
    var fileName: String?
    /// The file's own folder, from a list.
    var directory: String?
    /// The file's own headers, from a list.
    var headers: [HeaderField] = []
    /// The checksum, from a list.
    var checksum: Checksum?
    /// Other URLs of the file, from a list.
    var mirrors: [DownloadURL] = []

    /// The name in messages until the file has one.
    var name: String {
        if let fileName { return PlainText.oneLine(fileName) }
        let last = PlainText.oneLine(source.url.lastPathComponent)
        return last.isEmpty || last == "/" ? source.shown : last
    }

    init(
        source: DownloadURL,
        fileName: String? = nil,
        directory: String? = nil,
        headers: [HeaderField] = [],
        checksum: Checksum? = nil,
        mirrors: [DownloadURL] = []
    ) {
        (self.source, self.fileName, self.directory) = (source, fileName, directory)
        (self.headers, self.checksum, self.mirrors) = (headers, checksum, mirrors)
    }

    /// A stored download.
    init(stored request: DownloadRequest) {
        self.init(
            source: DownloadURL(stored: request.url),
            fileName: request.fileName,
            directory: request.directory?.path,
            checksum: request.checksum,
            mirrors: request.mirrors.map { DownloadURL(stored: $0) }
        )
    }

    /// The file's own folder, as an absolute URL.
    var folder: URL? { directory.map { URL(fileURLWithPath: $0, isDirectory: true).absoluteURL } }

    /// The file's own settings, except its URL.
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
    }
}
