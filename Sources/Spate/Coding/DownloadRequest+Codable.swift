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
    private static let urlKey = RequestField.Key(stringValue: "url")

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: RequestField.Key.self)
        self.init(try values.decode(URL.self, forKey: Self.urlKey))
        for field in RequestField.all { try field.decode(values, &self) }
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: RequestField.Key.self)
        try values.encode(URLWithoutSecrets(url: url), forKey: Self.urlKey)
        for field in RequestField.all { try field.encode(self, &values) }
    }

    /// Without known secrets; `nil` if there are none.
    var openHeaders: [String: String]? {
        let open = headers.filter { !RedirectRules.mayBeSecret($0.key, privateNames: privateHeaders) }
        return open.isEmpty ? nil : open
    }
}

/// A URL, encoded without its user, password and fragment.
struct URLWithoutSecrets: Encodable {
    let url: URL

    func encode(to encoder: any Encoder) throws {
        var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        parts?.user = nil
        parts?.password = nil
        parts?.fragment = nil
        guard let stripped = parts?.url else {
            // The error names neither the URL nor the request: they may contain a secret.
            let reason = "The URL's user and password cannot be removed, so it is not encoded."
            throw EncodingError.invalidValue("URL", .init(codingPath: encoder.codingPath, debugDescription: reason))
        }
        var value = encoder.singleValueContainer()
        try value.encode(stripped)
    }
}

/// A priority, encoded by its name.
enum PriorityWord: String, Codable, CaseIterable {
    case veryLow, low, normal, high, veryHigh

    /// `nil` for the default, which is not written.
    init?(_ priority: Operation.QueuePriority) {
        guard let word = Self.allCases.first(where: { $0.priority == priority }), word != .normal else { return nil }
        self = word
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
