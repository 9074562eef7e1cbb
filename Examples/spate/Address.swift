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
        guard !Self.hasControl(text), let url = URL(string: text), let key = DownloadRequest(url).address else {
            throw Self.fault(of: text)
        }
        self.url = url
        self.key = key
    }

    /// One that the library has accepted before.
    init(stored url: URL) {
        self.url = url
        key = DownloadRequest(url).address ?? url.absoluteString
    }

    private static func hasControl(_ text: String) -> Bool {
        let bytes = text.utf8.span
        for index in bytes.indices where bytes[index] < 0x20 || bytes[index] == 0x7F { return true }
        return false
    }

    /// Why a text is none that can be fetched. It was found to be so before, quicker than the reason can be.
    private static func fault(of text: String) -> UsageError {
        if hasControl(text) {
            return UsageError("\(quoted(text)) is not a URL: it has a line break or another control character")
        }
        guard let scheme = scheme(of: text) else { return schemeless(text) }
        guard scheme == "http" || scheme == "https" else {
            return UsageError("\(quoted(text)) is not fetched: only http and https are, not \(scheme)")
        }
        guard let url = URL(string: text) else { return UsageError("\(quoted(text)) is not a URL") }
        do throws(DownloadError) {
            try DownloadRequest(url).check()
            return UsageError("\(quoted(text)) is not fetched")
        } catch {
            return UsageError("\(quoted(text)) is not fetched: \(error.message)")
        }
    }

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
