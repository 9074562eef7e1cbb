import Foundation
import Spate

/// A header field from `--header`: a name, a colon and a value.
///
/// Errors never repeat the value, nor an invalid name: both may be a secret.
struct HeaderField: Equatable {
    let name: String
    let value: String

    init(_ text: String) throws(UsageError) {
        // Look at bytes: CR LF is a single Character.
        guard !text.utf8.contains(where: { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }) else {
            throw UsageError(
                .header,
                "a --header contains a line break or another control character; give each header its own --header"
            )
        }
        guard let colon = text.firstIndex(of: ":") else {
            throw UsageError(.header, "a --header has no colon; write it as --header 'Name: value'")
        }
        let name = text[..<colon]
        guard !name.isEmpty, name.utf8.allSatisfy(Self.isTokenByte) else {
            throw UsageError(
                .header,
                "a --header has no valid name before the colon; use letters, digits and hyphens, as in "
                    + "--header 'Name: value'"
            )
        }
        self.name = String(name)
        self.value = text[text.index(after: colon)...].trimmingSpaces
        try check()
    }

    /// Asks the library now. It would refuse the same header again for every download.
    private func check() throws(UsageError) {
        guard let url = URL(string: "http://localhost/") else { return }
        var request = DownloadRequest(url)
        request.headers = [name: value]
        do throws(DownloadError) {
            try request.check()
        } catch {
            throw UsageError(.header, "--header \(name) can't be set: \(error.message)")
        }
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default:
            "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

extension Substring {
    /// The text without spaces and tabs at both ends.
    var trimmingSpaces: String {
        var rest = self
        while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
        while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
        return String(rest)
    }
}
