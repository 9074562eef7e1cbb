import Foundation
import Glibc
import Spate
import SpateConsole

/// A Metalink that an option names: a file, standard input, or a URL.
struct MetalinkSource {
    let name: String
    let arguments: Arguments
    /// The logins and cookies for a URL.
    let files: OptionFiles?

    private var isURL: Bool { name.contains("://") }
    private var shownName: String { name == "-" ? "standard input" : PlainText.oneLine(name) }

    /// The files of the Metalink. Says what of it is not used.
    func items() throws(UsageError) -> [DownloadItem] {
        let metalink: Metalink
        let document = isURL ? try fetched() : try content()
        do throws(DownloadError) {
            metalink = try Metalink(document, from: isURL ? URL(string: name) : nil)
        } catch {
            throw unreadable(error.message)
        }
        // It looks for files in the folder.
        let manager = arguments.manager()
        var items: [DownloadItem] = []
        for file in metalink.files {
            guard let request = manager.request(for: file) else {
                let reasons = ["it has no URL to use for \(PlainText.quoted(file.name))"] + file.remarks
                throw unreadable(reasons.joined(separator: "; "))
            }
            var item = DownloadItem(stored: request)
            if arguments.output != nil { (item.settings.fileName, item.settings.relativePath) = (nil, nil) }
            if arguments.checksum != nil { item.settings.checksum = nil }
            items.append(item)
            say(file)
        }
        return items
    }

    private func say(_ file: Metalink.File) {
        if arguments.isQuiet { return }
        let signature = file.isSigned ? ["its signature is not checked"] : []
        for remark in signature + file.remarks {
            StandardStream.error.writeNotice(.metalink(shownName, file: file.name, remark))
        }
    }

    /// The library reads no more, either.
    private static let mostBytes = 32 << 20

    private func content() throws(UsageError) -> Data {
        let descriptor = name == "-" ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable() }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: descriptor != STDIN_FILENO)
        do {
            return try file.read(upToCount: Self.mostBytes + 1) ?? Data()
        } catch {
            throw unreadable()
        }
    }

    /// The document of a URL, fetched as any other file is, and with the same logins.
    private func fetched() throws(UsageError) -> Data {
        let source = try DownloadURL(name)
        let place = try PrivateFolder("spate") { parent, code in
            unreadable("no folder can be made in \(PlainText.oneLine(parent)): \(String(cString: strerror(code)))")
        }
        defer { place.remove() }
        let folder = URL(fileURLWithPath: place.path, isDirectory: true)
        var request = files?.request(of: source) ?? source.request
        (request.fileName, request.maximumBytes) = ("metalink", Int64(Self.mostBytes))
        let manager = arguments.manager(in: folder, cookies: files?.cookies ?? [])
        let fetch = FetchOperation(request, manager: manager)
        OperationQueue().addOperations([fetch], waitUntilFinished: true)
        do {
            return try Data(contentsOf: fetch.result?.get() ?? folder)
        } catch {
            throw unreadable(error.localizedDescription)
        }
    }

    /// - Parameter reason: by default, what `errno` says.
    private func unreadable(_ reason: String? = nil) -> UsageError {
        let reason = reason ?? "\(String(cString: strerror(errno))); name a file or a URL"
        return UsageError(.unreadableMetalink, "can't read --metalink \(shownName): \(reason)")
    }
}
