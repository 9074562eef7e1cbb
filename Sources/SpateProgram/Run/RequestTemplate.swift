import Foundation
import Spate

/// Makes the library's requests for the items of a run. What the command line says is set once, and all requests of
/// items without settings share it.
struct RequestTemplate: Sendable {
    private let arguments: Arguments
    private let files: OptionFiles
    /// Its URL does not count.
    private let common: DownloadRequest
    private let folder: String

    /// - Parameter files: checksums, logins and cookies from files.
    init(_ arguments: Arguments, _ files: OptionFiles) {
        (self.arguments, self.files) = (arguments, files)
        folder = arguments.folder.standardizedFileURL.path
        var request = DownloadRequest(arguments.folder)
        request.fileName = arguments.outputName
        request.naming = arguments.naming
        if arguments.hasURLFolders || arguments.cutFolders != nil {
            request.placement = .urlFolders(cutting: arguments.cutFolders ?? 0)
        }
        // Nothing may be written beside the content.
        request.directory = arguments.writesContent ? nil : arguments.outputFolder
        request.clientCertificate = arguments.clientCertificate
        request.checksum = arguments.checksum
        request.mirrors = arguments.mirrors.map(\.url)
        request.maximumBytes = arguments.maximumSize
        request.timeLimit = arguments.timeLimit.map { .seconds($0) }
        request.usesServerMetalink = arguments.usesServerMetalink
        request.replacesExistingFile = arguments.overwrites
        request.checksForUpdate = arguments.updates
        request.skipsExistingFile = arguments.skipsExisting
        common = request
    }

    /// The request for an item. The item's own settings override the command line's.
    func request(for item: DownloadItem) -> DownloadRequest {
        var request = files.request(of: item.source).withOptions(of: common)
        if item.hasSettings { apply(item.settings, to: &request) }
        if request.checksum == nil { request.checksum = listed(request).checksum }
        return request
    }

    /// What the lists of checksums say about a request's file.
    func listed(_ request: DownloadRequest) -> ChecksumList.Answer { files.checksums.answer(for: request, in: folder) }

    private func apply(_ settings: DownloadItem.Settings, to request: inout DownloadRequest) {
        if let naming = settings.naming { request.naming = naming }
        if let name = settings.fileName {
            request.fileName = name
            // A list's name goes before the command line's, and so without the folder that belongs to that.
            request.directory = nil
        }
        request.relativePath = settings.relativePath
        if !arguments.writesContent, let folder = settings.folder(below: arguments.folder) {
            request.directory = folder
        }
        request.headers = Dictionary(settings.headers.map { ($0.name, $0.value) }) { _, last in last }
        if let checksum = settings.checksum { request.checksum = checksum }
        request.mirrors = (settings.mirrors + arguments.mirrors).map(\.url)
        (request.expectedBytes, request.metalink) = (settings.expectedBytes, settings.metalink)
        if settings.replacesFile { request.replacesExistingFile = true }
        request.isChosenByDocument = settings.isChosenByDocument
    }
}
