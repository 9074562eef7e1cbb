import Foundation
import SpateFilePaths
import SpateHTTPSyntax
import SpateHTTPTransport
import SpatePartialFiles

/// A request that was validated without disk and network. Shared by its download and the attempts.
final class ValidRequest: Sendable {
    /// Its URL, and where its file is.
    let claim: FileClaim
    /// Without the URL itself.
    let mirrors: [HTTPURL]
    /// Whether it chose its folder or its name, so that the URL alone does not lead to the file.
    let choosesPlace: Bool
    let replacesExisting: Bool
    /// Whether the server may name the file, unless the request does.
    let takesServersName: Bool

    var url: HTTPURL { claim.origin }
    var naming: FileNaming { claim.naming }

    init(
        _ request: borrowing DownloadRequest,
        in configuration: borrowing ValidConfiguration
    ) throws(DownloadError) {
        let url = try Self.url(request.givenURL)
        mirrors = try request.mirrors.map { (mirror) throws(DownloadError) in try Self.url(mirror) }.filter {
            $0 != url
        }
        let common = configuration.directory
        let directory = if let own = request.directory { try Self.directory(own) } else { try common.get() }
        takesServersName = request.naming.fileNaming(for: url) == .stated
        claim = try Self.claim(request, url, in: directory, isStated: takesServersName || configuration.namesFiles)
        choosesPlace = claim.naming.isExplicit || request.directory != nil && directory != (try? common.get())
        replacesExisting = request.replacesExistingFile
        if let fault = configuration.fault { throw fault }
        try Self.check(headers: request.headers)
        try Self.check(request.clientCertificate)
        switch request.options.givenChecksum {
        case .invalid(let digest): throw DownloadError.badDigest(digest, of: .sha256)
        case .checksum(let checksum) where !configuration.digests.computes(checksum.algorithm):
            throw DownloadError.missingDigest(checksum.algorithm)
        case .checksum, nil: break
        }
    }

    static func url(_ url: URL) throws(DownloadError) -> HTTPURL { try self.url(.url(url)) }

    static func url(_ given: GivenURL) throws(DownloadError) -> HTTPURL {
        do throws(HTTPURLError) {
            return try given.normalized
        } catch {
            throw DownloadError(error, text: given.text)
        }
    }

    fileprivate static func directory(_ url: URL) throws(DownloadError) -> FilePath {
        guard url.isFileURL else { throw DownloadError.foreignFolder(url) }
        return FilePath(url.standardizedFileURL.path)
    }

    /// - Parameter folder: the path of the folder if the request has none.
    static func claim(
        _ request: borrowing DownloadRequest,
        _ url: HTTPURL,
        besides folder: FilePath
    ) throws(DownloadError) -> FileClaim {
        try claim(request, url, in: request.directory.map(directory) ?? folder, isStated: false)
    }

    private static func claim(
        _ request: borrowing DownloadRequest,
        _ url: HTTPURL,
        in directory: FilePath,
        isStated: Bool
    ) throws(DownloadError) -> FileClaim {
        do throws(FileNameError) {
            if let path = request.options.relativePath {
                return FileClaim(url, at: try RelativePath(path), in: directory)
            }
            var naming: FileNaming = isStated ? .stated : .derived
            if let name = request.fileName { naming = .explicit(try FileName(explicit: name)) }
            return FileClaim(url, cuttingURLFolders: request.placement.cutCount, in: directory, naming: naming)
        } catch {
            throw DownloadError(error)
        }
    }

    static func check(headers: [String: String]) throws(DownloadError) {
        for (name, value) in headers {
            guard HTTPFields.maySend(name: name, value: "") else { throw DownloadError.badHeaderName(name) }
            guard HTTPFields.maySend(name: name, value: value) else { throw DownloadError.badHeaderValue(of: name) }
            guard !reservedHeaders.contains(name.lowercased()) else { throw DownloadError.ownHeader(name) }
        }
    }

    /// Refuses names that libcurl ignores: it would use the default interface instead.
    static func check(networkInterface name: String?) throws(DownloadError) {
        guard let name else { return }
        if name.isEmpty { throw DownloadError.unusableInterface("its name is empty") }
        if name.utf8.count > 254 { throw DownloadError.unusableInterface("its name has more than 254 bytes") }
        if name.utf8.contains(0) { throw DownloadError.unusableInterface("its name has a zero byte") }
    }

    private static func check(_ certificate: ClientCertificate?) throws(DownloadError) {
        guard let certificate else { return }
        for url in [certificate.file, certificate.key ?? certificate.file] where !url.isFileURL {
            throw DownloadError.foreignCertificate(url)
        }
    }

    /// Header fields that only Spate sets: another value could join bytes that do not belong together.
    private static let reservedHeaders = [
        "range", "if-range", "accept-encoding", "content-length", "transfer-encoding", "connection",
    ]
}

/// The common settings of a manager's requests, validated once.
struct ValidConfiguration: Sendable {
    /// The path of the manager's folder.
    let directory: Result<FilePath, DownloadError>
    /// Why no request is valid: a common header field or a cookie cannot be sent, or the proxy, the network interface
    /// or a range of addresses cannot be used.
    let fault: DownloadError?
    let transport: TransportSettings
    /// Whether the program names files.
    let namesFiles: Bool
    let cookies: CookieJar
    /// The implementation of checksums.
    let digests: DigestLibrary

    init(_ configuration: DownloadManager.Configuration, digests: DigestLibrary = .libcrypto) {
        self.digests = digests
        namesFiles = configuration.fileName != nil
        cookies = CookieJar(configuration.cookies)
        directory = Result { () throws(DownloadError) in try ValidRequest.directory(configuration.directory) }
        var proxy = TransportProxy.none
        var addresses: AddressRule?
        do throws(DownloadError) {
            proxy = try TransportProxy(configuration.proxy)
            addresses = try configuration.addresses.rule
            try ValidRequest.check(networkInterface: configuration.networkInterface)
            try ValidRequest.check(headers: configuration.headers)
            for cookie in configuration.cookies { try ValidRequest.check(headers: ["Cookie": cookie.pair]) }
            fault = nil
        } catch {
            fault = error
        }
        transport = TransportSettings(
            connectTimeout: configuration.connectTimeout,
            stallTimeout: configuration.stallTimeout,
            certificateAuthorities: configuration.certificateAuthorities?.path,
            proxy: proxy,
            networkInterface: configuration.networkInterface,
            addresses: addresses
        )
    }

    /// For the default configuration.
    static let standard = ValidConfiguration(DownloadManager.Configuration())
}
