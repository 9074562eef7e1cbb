public import Foundation
import SpateFilePaths
import SpateHTTPSyntax
import SpateMetalinks
import SpatePartialFiles

/// What a publisher says about files: their names, sizes, checksums and mirrors. Reads Metalink 4 (RFC 5854) and
/// Metalink 3.
///
///     let metalink = try Metalink(Data(contentsOf: document))
///     manager.download(metalink.files.compactMap { manager.request(for: $0) })
///
/// The document says which hosts are asked, so trust it as you trust those. A signature in it is not checked.
public struct Metalink: Sendable, Hashable {
    /// The files, in the order of the document.
    public let files: [File]
    /// Where the document says that it comes from; `nil` if it does not.
    public let origin: URL?
    /// Whether ``origin`` may by now have another version of the document.
    public let isDynamic: Bool

    /// Reads a document.
    ///
    /// - Parameters:
    ///   - document: the bytes of the document.
    ///   - source: its URL. If that is an `https` URL, `http` URLs in the document are left out.
    /// - Throws: a ``DownloadError`` with the code ``DownloadError/Code/badMetalink``, which names the line.
    public init(_ document: Data, from source: URL? = nil) throws(DownloadError) {
        let read: SpateMetalinks.Metalink
        do throws(MetalinkError) {
            read = try SpateMetalinks.Metalink([UInt8](document))
        } catch {
            throw .badMetalink("\(error)")
        }
        let isSecure = source?.scheme?.lowercased() == "https"
        files = read.files.map { File($0, isSecure: isSecure) }
        origin = read.origin.flatMap { URL(string: $0.text) }
        isDynamic = read.isDynamic
    }

    /// A file of a Metalink.
    public struct File: Sendable, Hashable {
        /// The name as the document has it. It may have folders, and is not safe to use.
        public var name: String { stated.text }
        private let stated: FilePath
        /// The last part of the name, made safe; `nil` if nothing is left of it.
        public var fileName: String? { safe?.text }
        private let safe: FilePath?
        /// The name with its folders, each part made safe; `nil` if it has no folders. Of a name that leads elsewhere, or
        /// has a part of which nothing is left, only ``fileName`` counts.
        public var relativePath: String? { path?.text }
        private let path: FilePath?
        /// The size in bytes; `nil` if it is unknown.
        public let size: Int64?
        /// The checksum by the strongest algorithm that this machine computes; `nil` if there is none.
        public let checksum: Checksum?
        /// The `http` and `https` URLs, the best first.
        public let urls: [URL]
        /// The length of a piece, if the document has checksums of pieces; of the last one at most.
        public var pieceLength: Int64? { pieces?.length }
        let pieces: MetalinkPieces?
        /// Whether the document has a signature of the file. Spate does not check it.
        public let isSigned: Bool
        /// What could not be used, for people, such as `2 URLs are not used: only http and https are`.
        public let remarks: [String]

        /// The size and the pieces, as the queue keeps them; `nil` if there are none, or too many.
        var storedPieces: String? {
            guard let size, let text = pieces?.text else { return nil }
            return "\(size) \(text)"
        }

        /// The part of a file that the queue has kept.
        init?(storedPieces text: String, of request: DownloadRequest) {
            let parts = text.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let size = Int64(parts[0]), let pieces = MetalinkPieces(String(parts[1]), of: size)
            else { return nil }
            stated = request.options.fileName ?? FilePath(request.url.lastPathComponent)
            (safe, path) = (request.options.fileName, request.options.relativePath)
            (checksum, urls) = (request.checksum, [request.url])
            (self.size, self.pieces, isSigned, remarks) = (size, pieces, false, [])
        }

        fileprivate init(_ file: MetalinkFile, isSecure: Bool) {
            stated = FilePath(file.name)
            safe = FileName(stated: file.name)?.path
            path = Self.path(FilePath(file.name))
            (size, isSigned) = (file.size, file.hasSignature)
            let canProve = file.pieces.flatMap { Checksum.Algorithm(rawValue: $0.algorithm.rawValue) }
                .map { DigestLibrary.libcrypto.computes($0) }
            pieces = canProve ?? false ? file.pieces : nil
            let known = file.digests.lazy.compactMap { Checksum($0) }
            checksum = known.first { DigestLibrary.libcrypto.computes($0.algorithm) }
            let mirrors = file.mirrors.map(\.url).filter { $0.scheme == .https || !isSecure }
            self.urls = mirrors.compactMap { URL(string: $0.text) }
            var remarks = file.remarks.map(\.description)
            let leftOut = file.mirrors.count - mirrors.count
            let urls = leftOut == 1 ? "1 http URL is" : "\(leftOut) http URLs are"
            if leftOut > 0 { remarks.append("\(urls) not used: the Metalink came over https") }
            self.remarks = remarks
        }

        private static func path(_ name: FilePath) -> FilePath? {
            let parts = name.names.filter { $0 != "." }
            // It has no folders, begins at the root, or leads out of the folder.
            if parts.count < 2 || parts.contains("") || parts.contains("..") || name.text.contains("\\") { return nil }
            let safe = parts.compactMap { FileName(stated: $0.text)?.path }
            return safe.count < parts.count ? nil : safe.dropFirst().reduce(safe[0]) { $0.appending($1) }
        }
    }
}

extension Checksum {
    fileprivate init?(_ digest: MetalinkDigest) {
        guard let algorithm = Algorithm(rawValue: digest.algorithm.rawValue) else { return nil }
        self.init(algorithm, digest: digest.bytes)
    }
}
