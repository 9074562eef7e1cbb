public import Foundation
import SpateHTTPSyntax

/// The server's response for a finished file.
///
/// It contains nothing of the request: no sent headers, user or password. Printing it hides its fields and the query of
/// its URL, which may be secret.
public struct DownloadResponse: Sendable, Hashable {
    /// A field of the response.
    public struct HeaderField: Sendable, Hashable {
        /// The name, with the letter case that the server sent.
        public var name: String
        /// The value, without the blanks around it.
        public var value: String

        /// Creates a field.
        public init(_ name: String, _ value: String) {
            (self.name, self.value) = (name, value)
        }
    }

    /// The URL that sent it: the target of redirects, a mirror, or the URL that
    /// ``DownloadManager/Configuration-swift.struct/prepare`` returned.
    public var url: URL
    /// The status: 200 for a whole file, 206 for the rest of a file, 304 for an unchanged finished file, and 416 if the
    /// file was complete before.
    public var statusCode: Int
    /// All fields, in the order received. A name may occur several times.
    public var headerFields: [HeaderField]

    /// Creates a response, for tests and previews.
    public init(url: URL, statusCode: Int, headerFields: [HeaderField] = []) {
        (self.url, self.statusCode, self.headerFields) = (url, statusCode, headerFields)
    }

    /// The value of the field of this name; `nil` if there is none. Ignores letter case. Joins several values with a
    /// comma.
    public subscript(name: String) -> String? {
        let values = values(of: name)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// The values of all fields of this name, such as `Set-Cookie`, whose values cannot be joined. Ignores letter case.
    public func values(of name: String) -> [String] {
        let name = name.lowercased()
        return headerFields.filter { $0.name.lowercased() == name }.map(\.value)
    }
}

extension DownloadResponse: CustomStringConvertible, CustomDebugStringConvertible {
    /// For people: "200 from https://host/file".
    public var description: String {
        let address = (try? HTTPURL(url.absoluteString))?.shown
        return address.map { "\(statusCode) from \($0)" } ?? "\(statusCode)"
    }

    /// As ``description``.
    public var debugDescription: String { description }
}

/// A compact response, in one buffer: a program may hold a million ended downloads. A usual response takes some 400
/// bytes.
struct KeptResponse {
    /// The URL, the status and the fields, each in a line.
    private let lines: [UInt8]

    init(url: HTTPURL, head: ResponseHead) {
        var lines: [UInt8] = []
        // One allocation of the exact size. A status has three digits.
        lines.reserveCapacity(url.text.utf8.count + 5 + head.fields.lines.count)
        lines += url.text.utf8
        lines.append(0x0A)
        for unit in [100, 10, 1] { lines.append(UInt8(ascii: "0") + UInt8(head.status / unit % 10)) }
        lines.append(0x0A)
        lines += head.fields.lines
        self.lines = lines
    }

    /// `nil` if Foundation does not read the URL.
    var response: DownloadResponse? {
        let lines = lines.split(separator: 0x0A)
        guard lines.count > 1, let url = URL(string: HTTPFields.text(lines[0])),
            let status = Int(HTTPFields.text(lines[1]))
        else { return nil }
        var fields: [DownloadResponse.HeaderField] = []
        for line in lines.dropFirst(2) {
            // A name has no colon.
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
            let value = HTTPFields.trimmed(line[(colon + 1)...])
            fields.append(.init(HTTPFields.text(line[..<colon]), HTTPFields.text(value)))
        }
        return DownloadResponse(url: url, statusCode: status, headerFields: fields)
    }
}
