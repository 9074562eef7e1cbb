import Foundation
import Spate

/// A URL that can be fetched, and how it is told to people and compared.
struct Address {
    let url: URL
    /// What the library knows the download by: the same for all spellings of one URL.
    let key: String

    /// The URL without user and password: what is written anywhere.
    var shown: String { Self.withoutCredentials(url.absoluteString) }

    /// Whether a user or password is in it.
    var hasCredentials: Bool { URLPieces(url.absoluteString).map { !$0.credentials.isEmpty } ?? false }

    /// - Throws: a sentence about the text, without the credentials that may be in it.
    init(_ text: String) throws(UsageError) {
        // Foundation would escape a line break and go on.
        guard !Self.hasControl(text), let url = URL(string: text), let known = DownloadRequest(url).normalizedURL else {
            throw Self.fault(of: text)
        }
        self.url = url
        key = known.absoluteString
    }

    /// One that the library has accepted before.
    init(stored url: URL) {
        self.url = url
        key = DownloadRequest(url).normalizedURL?.absoluteString ?? url.absoluteString
    }

    static func hasControl(_ text: String) -> Bool {
        let bytes = text.utf8.span
        for index in bytes.indices where bytes[index] < 0x20 || bytes[index] == 0x7F { return true }
        return false
    }
}
