import Foundation
import Spate

/// A header field: a name, a colon and a value.
///
/// Errors never repeat the value, nor an invalid name: both may be a secret.
struct HeaderField: Hashable, Sendable {
    /// Where a field comes from.
    struct Source {
        let name: String
        /// A field as typed there.
        let example: String
        /// Where to write each field.
        let place: String

        static let option = Source(name: "--header", example: "--header 'Name: value'", place: "its own --header")
        static let file = Source(name: "header", example: "Name: value", place: "a line of its own")
        static let inputOption = Source(name: "header=", example: "header=Name: value", place: "a line of its own")
    }

    let name: String
    let value: String

    init(_ text: String, as source: Source = .option) throws(UsageError) {
        // Look at bytes: CR LF is a single Character.
        guard !text.utf8.contains(where: { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }) else {
            throw UsageError(
                .header,
                "a \(source.name) contains a line break or another control character; give each header "
                    + source.place
            )
        }
        guard let colon = text.firstIndex(of: ":") else {
            throw UsageError(.header, "a \(source.name) has no colon; write it as \(source.example)")
        }
        let name = text[..<colon]
        guard !name.isEmpty, name.utf8.allSatisfy(Self.isTokenByte) else {
            throw UsageError(
                .header,
                "a \(source.name) has no valid name before the colon; use letters, digits and hyphens, as in \(source.example)"
            )
        }
        self.name = String(name)
        self.value = text[text.index(after: colon)...].trimmingSpaces
        if let error = DownloadRequest.fault(ofHeader: self.name, value) {
            throw UsageError(.header, "\(source.name) \(name) can't be set: \(error.message)")
        }
    }

    /// Adds the field to others.
    ///
    /// - Throws: if the name is taken.
    func add(to fields: inout [HeaderField], as source: Source = .option) throws(UsageError) {
        guard !fields.contains(where: { $0.name.lowercased() == name.lowercased() }) else {
            throw UsageError(.repeatedHeader, "\(source.name) \(name) is given twice; give it once, with both values")
        }
        fields.append(self)
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        let character = Character(Unicode.Scalar(byte))
        return byte < 0x80 && (character.isLetter || character.isNumber || "!#$%&'*+-.^_`|~".contains(character))
    }
}

extension DownloadRequest {
    /// What the library says against a header. Otherwise every download would fail with it.
    static func fault(ofHeader name: String, _ value: String) -> DownloadError? {
        guard let url = URL(string: "http://localhost/") else { return nil }
        do throws(DownloadError) {
            try DownloadRequest(url, headers: [name: value]).check()
            return nil
        } catch {
            return error
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
