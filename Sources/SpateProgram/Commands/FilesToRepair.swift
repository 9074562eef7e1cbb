import Foundation
import Glibc
import Spate
import SpateConsole
import SpateFilePaths

/// What a command line names to be repaired: files, URLs, or all files of its Metalinks.
struct FilesToRepair {
    let arguments: Arguments
    let files: OptionFiles

    /// - Throws: a `UsageError`, or why a folder can't be read.
    func items() throws -> [DownloadItem] {
        var items: [DownloadItem] = []
        for name in arguments.metalinks {
            items += try MetalinkSource(name: name, arguments: arguments, files: files).items()
        }
        if arguments.urls.isEmpty { return items }
        var chosen: [DownloadItem] = []
        for word in arguments.urls {
            chosen.append(word.contains("://") ? try item(at: word, of: items) : try item(inFile: word, of: items))
        }
        return chosen
    }

    private func item(at word: String, of items: [DownloadItem]) throws(UsageError) -> DownloadItem {
        if let pattern = URLPattern(word) { throw pattern.fault }
        let source = try DownloadURL(word)
        if items.isEmpty { return DownloadItem(source: source) }
        let named = items.first { $0.sources.contains { $0.key == source.key } }
        guard let item = named ?? (items.count == 1 ? items.first : nil) else { throw missing(source.shown) }
        // Whoever names a URL wants it to be asked first, and trusts it.
        return item.asked(at: source, isChosenByDocument: false)
    }

    /// - Parameter word: a path; one without a folder is in the current one or, if it is not there, in `--directory`.
    private func item(inFile word: String, of items: [DownloadItem]) throws -> DownloadItem {
        let isHere = access(word, F_OK) == 0 || FilePath(word).names.count > 1 || arguments.directory == nil
        let file = isHere ? URL(fileURLWithPath: word).absoluteURL : arguments.folder.appendingPathComponent(word)
        let folder = file.deletingLastPathComponent()
        let name = FilePath(file.lastPathComponent)
        let stored = try stored(name, in: folder)
        let alike = items.filter { $0.settings.fileName.map { FilePath($0) } == name }
        // If several have the name, their folders decide.
        let exact = alike.first { $0.settings.relativePath.map { path in isPath(file, to: path) } ?? false }
        let named = exact ?? (alike.count == 1 ? alike[0] : items.count == 1 ? items[0] : nil)
        guard var item = named ?? (items.isEmpty ? stored.map { DownloadItem(stored: $0) } : nil) else {
            if !items.isEmpty { throw missing(word) }
            if access(file.path, F_OK) != 0 {
                throw UsageError(
                    .unknownFile,
                    "there is no file \(PlainText.quoted(word)); to fetch it, give its Metalink with --metalink FILE, or its URL"
                )
            }
            throw UsageError(
                .unknownFile,
                "Spate does not know where \(PlainText.quoted(word)) is from; give its Metalink with --metalink FILE, or its "
                    + "URL and --checksum ALG:HEX"
            )
        }
        // The finished file keeps its URL, whatever the Metalink prefers.
        if let key = stored.map({ DownloadURL(stored: $0.url).key }),
            let known = item.sources.first(where: { $0.key == key })
        {
            item = item.asked(at: known, isChosenByDocument: true)
        }
        (item.settings.fileName, item.settings.relativePath) = (name.text, nil)
        item.settings.directory = folder.path
        return item
    }

    /// The request of a file that Spate has finished, also if it was changed since.
    private func stored(_ name: FilePath, in folder: URL) throws -> DownloadRequest? {
        let file = folder.appendingPathComponent(name.text, isDirectory: false)
        guard let found = try arguments.manager(in: folder).storedDownload(at: file), !found.isPartial else {
            return nil
        }
        var request = DownloadRequest(found.url)
        request.isChosenByDocument = found.isChosenByDocument
        return request
    }

    /// Whether the path of a file ends in this one.
    private func isPath(_ file: URL, to path: String) -> Bool {
        FilePath(file.path).names.reversed().starts(with: FilePath(path).names.reversed())
    }

    private func missing(_ word: String) -> UsageError {
        UsageError(
            .notInMetalink,
            "--metalink names no file \(PlainText.quoted(word)); leave it out to repair all of its files"
        )
    }
}

extension DownloadItem {
    /// All its URLs.
    fileprivate var sources: [DownloadURL] { [source] + settings.mirrors }

    /// The same file, with this URL first and its others as mirrors.
    fileprivate func asked(at source: DownloadURL, isChosenByDocument: Bool) -> DownloadItem {
        var item = self
        (item.source, item.settings.isChosenByDocument) = (source, isChosenByDocument)
        item.settings.mirrors = sources.filter { $0.key != source.key }
        return item
    }
}
