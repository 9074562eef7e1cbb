import Foundation
import HTTPResumption

/// What is encoded is what ``init(_:)`` does not set, by the names of the properties, and no secret that can be told to
/// be one: the URL is written without user, password and fragment; of the headers those stay out that a redirect to
/// another host would not take along either, see ``headers``. Their names are written as ``privateHeaders`` where they
/// were there, so set their values again after decoding. A secret in the URL's path or query is written, as it is beside
/// the file on disk.
///
/// Of what is decoded only the URL must be there, the rest has its default; unknown keys are passed over. Nothing is
/// checked but its form: a request that cannot be met fails when it is enqueued, or in ``check()``.
///
///     let data = try JSONEncoder().encode(request)
///     let other = try JSONDecoder().decode(DownloadRequest.self, from: Data(#"{"url": "https://host/file"}"#.utf8))
extension DownloadRequest: Codable {
    private enum CodingKeys: String, CodingKey {
        case url, fileName, directory, headers, privateHeaders, priority, expectedBytes, maximumBytes, sha256
        case replacesExistingFile, allowsInsecureRedirects
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(try values.decode(URL.self, forKey: .url))
        fileName = try values.decodeIfPresent(String.self, forKey: .fileName)
        directory = try values.decodeIfPresent(URL.self, forKey: .directory)
        headers = try values.decodeIfPresent([String: String].self, forKey: .headers) ?? headers
        privateHeaders = try values.decodeIfPresent(Set<String>.self, forKey: .privateHeaders) ?? privateHeaders
        if let word = try values.decodeIfPresent(PriorityWord.self, forKey: .priority) { priority = word.priority }
        expectedBytes = try values.decodeIfPresent(Int64.self, forKey: .expectedBytes)
        maximumBytes = try values.decodeIfPresent(Int64.self, forKey: .maximumBytes)
        sha256 = try values.decodeIfPresent(String.self, forKey: .sha256)
        replacesExistingFile = try values.decodeIfPresent(Bool.self, forKey: .replacesExistingFile) ?? false
        allowsInsecureRedirects = try values.decodeIfPresent(Bool.self, forKey: .allowsInsecureRedirects) ?? false
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(Self.withoutSecrets(url, in: values.codingPath + [CodingKeys.url]), forKey: .url)
        try values.encodeIfPresent(fileName, forKey: .fileName)
        try values.encodeIfPresent(
            directory.map { try Self.withoutSecrets($0, in: values.codingPath + [CodingKeys.directory]) },
            forKey: .directory
        )
        let open = headers.filter { !RedirectPolicy.mayBeSecret($0.key, privateNames: privateHeaders) }
        if !open.isEmpty { try values.encode(open, forKey: .headers) }
        // In an order, so that equal requests are equal texts.
        if !privateHeaders.isEmpty { try values.encode(privateHeaders.sorted(), forKey: .privateHeaders) }
        if priority != .normal { try values.encode(PriorityWord(priority), forKey: .priority) }
        try values.encodeIfPresent(expectedBytes, forKey: .expectedBytes)
        try values.encodeIfPresent(maximumBytes, forKey: .maximumBytes)
        try values.encodeIfPresent(sha256, forKey: .sha256)
        if replacesExistingFile { try values.encode(true, forKey: .replacesExistingFile) }
        if allowsInsecureRedirects { try values.encode(true, forKey: .allowsInsecureRedirects) }
    }

    private static func withoutSecrets(_ url: URL, in path: [any CodingKey]) throws -> URL {
        var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        parts?.user = nil
        parts?.password = nil
        parts?.fragment = nil
        guard let stripped = parts?.url else {
            // Neither the URL nor the request is told: a secret may be in them.
            let reason = "The URL's user and password cannot be told from the rest, so it is not written."
            throw EncodingError.invalidValue("URL", .init(codingPath: path, debugDescription: reason))
        }
        return stripped
    }
}

/// A priority by its name.
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
