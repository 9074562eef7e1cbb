import Foundation
import SpateHTTPResumption

/// Encoded by the names of its properties, without defaults and known secrets.
///
/// The URL is written without user, password and fragment, and headers that are not sent to another origin are left
/// out; see ``headers``. So is ``clientCertificate``. ``privateHeaders`` is written, so set the values of those headers again after decoding. A
/// secret in the URL's path or query is written, as it is on disk.
///
/// Decoding requires only the URL; unknown keys are ignored. An invalid request fails when it is enqueued, or in
/// ``check()``. A SHA-256 is written as ``sha256``, as earlier versions did, another checksum as ``checksum``. Of ``metalink``, the
/// size and the pieces are written.
///
///     let data = try JSONEncoder().encode(request)
///     let other = try JSONDecoder().decode(DownloadRequest.self, from: Data(#"{"url": "https://host/file"}"#.utf8))
extension DownloadRequest: Codable {
    private enum CodingKeys: String, CodingKey {
        case url, fileName, naming, directory, headers, privateHeaders, priority, expectedBytes, maximumBytes, sha256,
            checksum, pieces
        case replacesExistingFile, allowsInsecureRedirects, connections, mirrors, maxBytesPerSecond
        case checksForUpdate, skipsExistingFile, keepsServerTime, cutURLFolders, usesServerMetalink,
            isChosenByDocument
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(try values.decode(URL.self, forKey: .url))
        fileName = try values.decodeIfPresent(String.self, forKey: .fileName)
        naming = try values.decodeIfPresent(DownloadNaming.self, forKey: .naming) ?? naming
        directory = try values.decodeIfPresent(URL.self, forKey: .directory)
        if let count = try values.decodeIfPresent(Int.self, forKey: .cutURLFolders) {
            placement = .urlFolders(cutting: count)
        }
        headers = try values.decodeIfPresent([String: String].self, forKey: .headers) ?? headers
        privateHeaders = try values.decodeIfPresent(Set<String>.self, forKey: .privateHeaders) ?? privateHeaders
        if let word = try values.decodeIfPresent(PriorityWord.self, forKey: .priority) { priority = word.priority }
        expectedBytes = try values.decodeIfPresent(Int64.self, forKey: .expectedBytes)
        maximumBytes = try values.decodeIfPresent(Int64.self, forKey: .maximumBytes)
        sha256 = try values.decodeIfPresent(String.self, forKey: .sha256)
        if let other = try values.decodeIfPresent(Checksum.self, forKey: .checksum) { checksum = other }
        if let pieces = try values.decodeIfPresent(String.self, forKey: .pieces) {
            metalink = Metalink.File(storedPieces: pieces, of: self)
        }
        replacesExistingFile = try values.decodeIfPresent(Bool.self, forKey: .replacesExistingFile) ?? false
        allowsInsecureRedirects = try values.decodeIfPresent(Bool.self, forKey: .allowsInsecureRedirects) ?? false
        mirrors = try values.decodeIfPresent([URL].self, forKey: .mirrors) ?? []
        checksForUpdate = try values.decodeIfPresent(Bool.self, forKey: .checksForUpdate) ?? false
        skipsExistingFile = try values.decodeIfPresent(Bool.self, forKey: .skipsExistingFile) ?? false
        keepsServerTime = try values.decodeIfPresent(Bool.self, forKey: .keepsServerTime)
        usesServerMetalink = try values.decodeIfPresent(Bool.self, forKey: .usesServerMetalink) ?? false
        // Earlier versions did not write it. Pieces are a Metalink's.
        isChosenByDocument = try values.decodeIfPresent(Bool.self, forKey: .isChosenByDocument) ?? (metalink != nil)
        connections = try values.decodeIfPresent(ConnectionCount.self, forKey: .connections)
        maxBytesPerSecond = try values.decodeIfPresent(Int64.self, forKey: .maxBytesPerSecond)
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(Self.withoutSecrets(url, in: values.codingPath + [CodingKeys.url]), forKey: .url)
        try values.encodeIfPresent(fileName, forKey: .fileName)
        if naming != .url { try values.encode(naming, forKey: .naming) }
        try values.encodeIfPresent(
            directory.map { try Self.withoutSecrets($0, in: values.codingPath + [CodingKeys.directory]) },
            forKey: .directory
        )
        try values.encodeIfPresent(placement.cutCount, forKey: .cutURLFolders)
        let open = headers.filter { !RedirectPolicy.mayBeSecret($0.key, privateNames: privateHeaders) }
        if !open.isEmpty { try values.encode(open, forKey: .headers) }
        // Sorted, so that equal requests have equal encodings.
        if !privateHeaders.isEmpty { try values.encode(privateHeaders.sorted(), forKey: .privateHeaders) }
        if priority != .normal { try values.encode(PriorityWord(priority), forKey: .priority) }
        try values.encodeIfPresent(expectedBytes, forKey: .expectedBytes)
        try values.encodeIfPresent(maximumBytes, forKey: .maximumBytes)
        // Earlier versions read only `sha256`.
        try values.encodeIfPresent(sha256, forKey: .sha256)
        if sha256 == nil { try values.encodeIfPresent(checksum, forKey: .checksum) }
        try values.encodeIfPresent(metalink?.storedPieces, forKey: .pieces)
        if replacesExistingFile { try values.encode(true, forKey: .replacesExistingFile) }
        if allowsInsecureRedirects { try values.encode(true, forKey: .allowsInsecureRedirects) }
        if !mirrors.isEmpty {
            let path = values.codingPath + [CodingKeys.mirrors]
            try values.encode(mirrors.map { try Self.withoutSecrets($0, in: path) }, forKey: .mirrors)
        }
        if checksForUpdate { try values.encode(true, forKey: .checksForUpdate) }
        if skipsExistingFile { try values.encode(true, forKey: .skipsExistingFile) }
        try values.encodeIfPresent(keepsServerTime, forKey: .keepsServerTime)
        if usesServerMetalink { try values.encode(true, forKey: .usesServerMetalink) }
        if isChosenByDocument != (metalink?.storedPieces != nil) {
            try values.encode(isChosenByDocument, forKey: .isChosenByDocument)
        }
        try values.encodeIfPresent(connections, forKey: .connections)
        try values.encodeIfPresent(maxBytesPerSecond, forKey: .maxBytesPerSecond)
    }

    private static func withoutSecrets(_ url: URL, in path: [any CodingKey]) throws -> URL {
        var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        parts?.user = nil
        parts?.password = nil
        parts?.fragment = nil
        guard let stripped = parts?.url else {
            // The error names neither the URL nor the request: they may contain a secret.
            let reason = "The URL's user and password cannot be removed, so it is not encoded."
            throw EncodingError.invalidValue("URL", .init(codingPath: path, debugDescription: reason))
        }
        return stripped
    }
}

/// A priority, encoded by its name.
private enum PriorityWord: String, Codable {
    case veryLow, low, normal, high, veryHigh

    init(_ priority: Operation.QueuePriority) {
        self =
            switch priority {
            case .veryLow: .veryLow
            case .low: .low
            case .high: .high
            case .veryHigh: .veryHigh
            case .normal: .normal
            @unknown default: .normal
            }
    }

    var priority: Operation.QueuePriority {
        switch self {
        case .veryLow: .veryLow
        case .low: .low
        case .normal: .normal
        case .high: .high
        case .veryHigh: .veryHigh
        }
    }
}
