import Foundation
import Spate
import SpateConsole
import SpateFilePaths

/// One file to fetch.
struct DownloadItem: Sendable {
    var source: DownloadURL
    /// The lines of the list, as they were read, if they are wanted.
    var lines: String?
    /// The settings, or nothing: most items have none, and items are copied often.
    private var own: [Settings] = []

    /// What a file has besides its URL.
    struct Settings: Sendable {
        /// The chosen file name. `nil` leaves the choice to the library.
        var fileName: String?
        /// The path below the folder, if it is a stored one or a Metalink's.
        var relativePath: String?
        /// Who names the file, if it is a stored one.
        var naming: DownloadNaming?
        /// The file's own folder, from a list.
        var directory: String?
        /// The path with the chosen name, from a list, if there is one.
        var path: FilePath?
        /// The file's own headers, from a list.
        var headers: [HeaderField] = []
        /// The checksum, from a list.
        var checksum: Checksum?
        /// The size that the file must have, from a Metalink.
        var expectedBytes: Int64?
        /// What a Metalink says about the file.
        var metalink: Metalink.File?
        /// Whether it replaces its file, which is there.
        var replacesFile = false
        /// Whether a Metalink chose the URL.
        var isChosenByDocument = false
        /// Other URLs of the file, from a list.
        var mirrors: [DownloadURL] = []
    }

    init(source: DownloadURL, _ settings: Settings? = nil) {
        self.source = source
        own = settings.map { [$0] } ?? []
    }

    var hasSettings: Bool { !own.isEmpty }

    var settings: Settings {
        get { own.first ?? Settings() }
        set { own = [newValue] }
    }

    /// The name in messages until the file has one.
    var name: String {
        if let name = settings.relativePath ?? settings.fileName { return PlainText.oneLine(name) }
        let last = PlainText.oneLine(source.url.lastPathComponent)
        return last.isEmpty || last == "/" ? source.shown : last
    }

    /// The hash of the settings in which two items of one URL must not differ. `nil` if it has none.
    var particulars: Int? {
        guard hasSettings || source.hasCredentials else { return nil }
        let settings = settings
        guard
            settings.fileName != nil || settings.relativePath != nil || settings.directory != nil
                || settings.checksum != nil
                || !settings.headers.isEmpty || !settings.mirrors.isEmpty || source.hasCredentials
        else { return nil }
        var hasher = Hasher()
        hasher.combine(source.credentials)
        hasher.combine((settings.relativePath ?? settings.fileName).map { FilePath($0) })
        // Any start serves to compare paths.
        hasher.combine(settings.folder(below: URL(fileURLWithPath: "/", isDirectory: true)))
        hasher.combine(settings.headers)
        hasher.combine(settings.checksum)
        hasher.combine(settings.mirrors.map(\.url))
        return hasher.finalize()
    }
}

extension DownloadItem {
    /// A stored download.
    init(stored request: DownloadRequest) {
        self.init(
            source: DownloadURL(stored: request.url),
            Settings(
                fileName: request.fileName,
                relativePath: request.relativePath,
                naming: request.naming,
                directory: request.directory?.path,
                checksum: request.checksum,
                expectedBytes: request.expectedBytes,
                metalink: request.metalink,
                replacesFile: request.replacesExistingFile,
                isChosenByDocument: request.isChosenByDocument,
                mirrors: request.mirrors.map { DownloadURL(stored: $0) }
            )
        )
    }

    /// A stored download that was enqueued again, as it was stored: its login, if it has one now, is from a file.
    init(restored download: Download) {
        self.init(stored: download.request)
        if source.hasCredentials, let url = URL(string: source.shown) { source = DownloadURL(stored: url) }
    }
}

extension DownloadItem.Settings {
    /// The file's own folder, as an absolute URL.
    ///
    /// - Parameter start: where a relative path begins if the file has no other folder. Few files need it, and it costs
    ///   a system call.
    func folder(below start: @autoclosure () -> URL) -> URL? {
        let own = directory.map { URL(fileURLWithPath: $0, isDirectory: true).absoluteURL }
        return path?.folder(in: own ?? start()) ?? own
    }
}
