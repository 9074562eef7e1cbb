import Foundation
import Spate

/// A URL that can be fetched, and how it is told to people and compared.
struct Address {
    let url: URL

    /// The URL without user and password: what is written anywhere.
    var shown: String { Self.withoutCredentials(url.absoluteString) }

    /// Whether a user or password is in it.
    var hasCredentials: Bool { URLPieces(url.absoluteString).map { !$0.credentials.isEmpty } ?? false }

    /// - Throws: a sentence about the text, without the credentials that may be in it.
    init(_ text: String) throws(UsageError) {
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw UsageError("\(Self.quoted(text)) is not a URL: it has a line break or another control character")
        }
        guard let scheme = Self.scheme(of: text) else { throw Self.schemeless(text) }
        guard scheme == "http" || scheme == "https" else {
            throw UsageError("\(Self.quoted(text)) is not fetched: only http and https are, not \(scheme)")
        }
        guard let url = URL(string: text) else { throw UsageError("\(Self.quoted(text)) is not a URL") }
        do throws(DownloadError) {
            try DownloadRequest(url).check()
        } catch {
            throw UsageError("\(Self.quoted(text)) is not fetched: \(error.message)")
        }
        self.url = url
    }

    /// One that the library has accepted before.
    init(stored url: URL) {
        self.url = url
    }

    /// What the library knows the download by: the same for all spellings of one URL.
    var key: String { DownloadRequest(url).address ?? url.absoluteString }

    private static func scheme(of text: String) -> String? {
        guard let scheme = URLPieces(text)?.schemeName, let first = scheme.utf8.first,
            (0x61...0x7A).contains(first),
            scheme.utf8.allSatisfy({ (0x61...0x7A).contains($0) || "0123456789+-.".utf8.contains($0) })
        else { return nil }
        return scheme
    }

    private static func schemeless(_ text: String) -> UsageError {
        if text == "-" {
            return UsageError("- is not a URL; to read URLs from standard input, use --input -")
        }
        let isWord = !text.contains { "./:@ ".contains($0) }
        if isWord, let command = Suggestion.nearest(to: text, among: Command.allCases.map(\.rawValue)) {
            return UsageError("\(quoted(text)) is neither a URL nor a command; did you mean \(command)?")
        }
        let host = text.prefix { $0 != "/" && $0 != ":" }
        if host == "localhost" || host.contains("."), !text.contains(where: { $0 == " " || $0 == "@" }) {
            return UsageError("\(quoted(text)) is not a URL; did you mean https://\(text)?")
        }
        return UsageError("\(quoted(text)) is not a URL: it must begin with https:// or http://")
    }
}
