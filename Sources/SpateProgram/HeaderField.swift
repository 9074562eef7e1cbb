import Foundation
import Spate

/// A header field as `--header` takes it: a name, a colon and a value.
///
/// Its errors never repeat the value, nor a name that is none: both may be a secret.
struct HeaderField: Equatable {
    let name: String
    let value: String

    init(_ text: String) throws(UsageError) {
        // A line break is one Character together with what precedes it, so bytes are looked at, not Characters.
        guard !text.utf8.contains(where: { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }) else {
            throw UsageError(.header, "a --header has a line break or another control character; give one line to each")
        }
        guard let colon = text.firstIndex(of: ":") else {
            throw UsageError(.header, "a --header has no colon; write it as --header 'Name: value'")
        }
        let name = text[..<colon]
        guard !name.isEmpty, name.utf8.allSatisfy(Self.isTokenByte) else {
            throw UsageError(
                .header,
                "a --header has no proper name before its colon, only letters, digits and hyphens will do; "
                    + "write it as --header 'Name: value'"
            )
        }
        self.name = String(name)
        self.value = text[text.index(after: colon)...].trimmingSpaces
        try check()
    }

    /// What the library would refuse of every download is refused before the first.
    private func check() throws(UsageError) {
        guard let url = URL(string: "http://localhost/") else { return }
        var request = DownloadRequest(url)
        request.headers = [name: value]
        do throws(DownloadError) {
            try request.check()
        } catch {
            throw UsageError(.header, "--header \(name) can't be given: \(error.message)")
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
    /// Without the spaces and tabs at both ends.
    var trimmingSpaces: String {
        var rest = self
        while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
        while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
        return String(rest)
    }
}
