import Foundation
import SpateFilePaths
import SpateHTTPSyntax

/// What a download knows of the Metalink that its server names.
// Indirect: few downloads have one.
indirect enum ServerMetalink {
    /// No response has named one, or it has not arrived.
    case unknown
    /// It cannot be used, for this reason.
    case unusable(String)
    /// What it says about the file.
    case file(Metalink.File)

    /// Reads a document.
    ///
    /// - Parameters:
    ///   - source: the URL that sent it.
    ///   - link: the link to it.
    ///   - url: the enqueued URL.
    ///   - wanted: what the request says about the file.
    init(_ document: Data, from source: HTTPURL, at link: MetalinkLink, of url: HTTPURL, _ wanted: WantedFile) {
        let metalink: Metalink
        do throws(DownloadError) {
            metalink = try Metalink(document, from: URL(string: source.text))
        } catch {
            self = .unusable(error.message)
            return
        }
        guard let file = metalink.file(at: [url, link.source]) else {
            self = .unusable("None of its \(metalink.files.count) files has the URL or the name of this one.")
            return
        }
        // Another version of the file, or another file.
        guard let size = file.size, size == link.size else {
            let sizes = [file.size, link.size].map { $0.map { "\($0) bytes" } ?? "no size" }
            self = .unusable("It states \(sizes[0]), and the server \(sizes[1]).")
            return
        }
        if let given = wanted.checksum, let stated = file.checksum, given.algorithm == stated.algorithm,
            given != stated
        {
            self = .unusable("It states another \(given.algorithm.standardName) than the request.")
            return
        }
        self = .file(file)
    }

    var file: Metalink.File? { if case .file(let file) = self { file } else { nil } }

    var remarks: [DownloadRemark] { if case .unusable(let reason) = self { [.metalinkNotUsed(reason)] } else { [] } }
}

extension Metalink {
    /// The file that has one of these URLs, or the name of one, or is the only one.
    fileprivate func file(at urls: [HTTPURL]) -> File? {
        let texts = Set(urls.map(\.text))
        if let file = files.first(where: { $0.urls.contains { texts.contains($0.absoluteString) } }) { return file }
        let names = Set(urls.map { FilePath(String(decoding: $0.lastPathComponent, as: UTF8.self)) })
        let named = files.filter { names.contains(FilePath($0.name).lastName) }
        return named.count == 1 ? named.first : files.count == 1 ? files.first : nil
    }
}

/// A response's link to the Metalink of its file (RFC 6249).
struct MetalinkLink {
    /// The way to the document.
    let route: RequestRoute
    /// The URL that sent the response.
    let source: HTTPURL
    /// The file's size, as the response states it.
    let size: Int64?
}
