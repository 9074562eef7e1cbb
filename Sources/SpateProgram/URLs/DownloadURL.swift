import Foundation
import Spate

/// A URL that can be fetched, with its form for people and its key for comparison.
struct DownloadURL: Equatable, Sendable {
    /// A request for it, without options.
    let request: DownloadRequest
    /// The library's key of the download. All spellings of one URL have the same key.
    let key: String
    private let text: String

    var url: URL { request.url }

    /// User, password and `@`, as they are in the URL.
    var credentials: String { isKey ? "" : URLParts(text).map { String(text[$0.credentials]) } ?? "" }

    /// Whether the URL contains a user or password.
    var hasCredentials: Bool { !credentials.isEmpty }

    /// The URL without user and password. Only this form is written or printed.
    var shown: String { isKey ? text : URLParts(text)?.withoutCredentials ?? text }

    /// Most URLs are their own key. A key has no user and no password.
    private var isKey: Bool { text == key }

    /// - Throws: the fault of the text, without its credentials.
    init(_ text: String) throws(UsageError) {
        do throws(DownloadError) {
            request = try DownloadRequest(text: text)
        } catch {
            throw Self.fault(of: text)
        }
        key = request.normalizedText ?? text
        self.text = key == text ? text : request.url.absoluteString
    }

    /// The URL with this login instead of its own.
    ///
    /// - Throws: why the library does not accept it.
    func loggedIn(as user: String, _ password: String) throws(UsageError) -> DownloadURL {
        guard let text = text(with: user, password) else { return self }
        return try DownloadURL(text)
    }

    func text(with user: String, _ password: String) -> String? {
        guard let parts = URLParts(url.absoluteString) else { return nil }
        let credentials = "\(Self.encoded(user)):\(Self.encoded(password))@"
        return parts.text.replacingCharacters(in: parts.credentials, with: credentials)
    }

    private static func encoded(_ text: String) -> String {
        let plain = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: plain) ?? text
    }

    /// A URL that the library has accepted before.
    init(stored url: URL) {
        request = DownloadRequest(url)
        text = url.absoluteString
        key = request.normalizedText ?? text
    }

    static func hasControl(_ text: String) -> Bool {
        text.hasByte { $0 < 0x20 || $0 == 0x7F }
    }
}

extension URL {
    /// The URL without user and password. Only this form is written or printed.
    var shown: String {
        let text = absoluteString
        return text.hasByte { $0 == UInt8(ascii: "@") } ? URLParts(text)?.withoutCredentials ?? text : text
    }
}

extension String {
    /// Whether any byte of the UTF-8 form matches. Faster than a search in `utf8`.
    func hasByte(where matches: (UInt8) -> Bool) -> Bool {
        let bytes = utf8.span
        for index in bytes.indices where matches(bytes[index]) { return true }
        return false
    }
}

/// The positions of scheme, credentials and host in any text with a `://`. It does not validate.
struct URLParts {
    let text: String
    /// Before `://`.
    let scheme: Range<String.Index>
    /// User, password and `@`. Empty if there are none.
    let credentials: Range<String.Index>

    init?(_ text: String) {
        let bytes = text.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) else {
            return nil
        }
        let start = bytes.index(colon, offsetBy: 3)
        let authority = bytes[start...].prefix { !"/?#".utf8.contains($0) }
        let hostStart = authority.lastIndex(of: UInt8(ascii: "@")).map(bytes.index(after:)) ?? start
        self.text = text
        scheme = bytes.startIndex..<colon
        credentials = start..<hostStart
    }

    var schemeName: String { text[scheme].lowercased() }

    var withoutCredentials: String {
        credentials.isEmpty ? text : String(text[..<credentials.lowerBound] + text[credentials.upperBound...])
    }
}
