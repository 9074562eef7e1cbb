import Foundation
import SpateHTTPSyntax

/// The URL of a request, as it was given.
enum GivenURL: Sendable {
    case url(URL)
    /// A text that is the same in Foundation's `URL` and in its normal form. It is not parsed again, and Foundation's
    /// object is made only when it is asked for.
    case plain(HTTPURL)

    init(text: String) throws(HTTPURLError) {
        if let plain = HTTPURL(plain: text) {
            self = .plain(plain)
            return
        }
        // Foundation would escape a line break and accept the URL.
        if text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) { throw .controlCharacter }
        guard let url = URL(string: text) else { throw .notAURL }
        _ = try HTTPURL(url.absoluteString)
        self = .url(url)
    }

    var url: URL {
        switch self {
        case .url(let url): url
        // Foundation accepts each such text.
        case .plain(let plain): URL(string: plain.text) ?? URL(fileURLWithPath: plain.text)
        }
    }

    var text: String {
        switch self {
        case .url(let url): url.absoluteString
        case .plain(let plain): plain.text
        }
    }

    /// The URL in its normal form.
    var normalized: HTTPURL {
        get throws(HTTPURLError) {
            switch self {
            case .url(let url): try HTTPURL(url.absoluteString)
            case .plain(let plain): plain
            }
        }
    }
}

extension GivenURL: Hashable {
    static func == (left: GivenURL, right: GivenURL) -> Bool {
        if case (.plain(let left), .plain(let right)) = (left, right) { return left == right }
        return left.url == right.url
    }

    func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension HTTPURL {
    /// Reads a text that is in normal form and that Foundation takes as it is. `nil` for any other.
    fileprivate init?(plain text: String) {
        guard let url = try? HTTPURL(text), url.text == text, Self.isKept(text.utf8.span) else { return nil }
        self = url
    }

    /// Whether Foundation escapes nothing in a text in normal form: no bracket, and no percent sign without its digits.
    private static func isKept(_ bytes: Span<UInt8>) -> Bool {
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: "["), UInt8(ascii: "]"): return false
            case UInt8(ascii: "%"):
                guard index + 2 < bytes.count, isHexDigit(bytes[index + 1]), isHexDigit(bytes[index + 2]) else {
                    return false
                }
            default: continue
            }
        }
        return true
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
