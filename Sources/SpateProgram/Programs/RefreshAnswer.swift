import Foundation
import Spate

/// What the program of `--refresh-command` answers: `{"url": URL, "headers": {NAME: VALUE}}`. Both may be missing or
/// null. Other keys are ignored.
///
/// No fault repeats a part of the answer: any may be a secret.
struct RefreshAnswer: Equatable {
    enum Fault: Error, CustomStringConvertible {
        case nothing, noObject, url, headers, request

        var description: String {
            switch self {
            case .nothing: "is empty; to change nothing, print {}"
            case .noObject: "is not one JSON object"
            case .url: "has a url that is not a string with an http or https URL"
            case .headers: "has headers that are not an object of strings"
            case .request: "has a header that can't be sent"
            }
        }
    }

    /// The longest answer.
    static let mostBytes = 65_536

    let url: URL?
    let headers: [String: String]

    init(_ bytes: [UInt8]) throws(Fault) {
        guard !bytes.allSatisfy({ " \t\r\n".utf8.contains($0) }) else { throw .nothing }
        guard let object = (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any] else {
            throw .noObject
        }
        switch object["url"] {
        case nil, is NSNull: url = nil
        case let text as String:
            guard let found = (try? DownloadURL(text))?.url else { throw .url }
            url = found
        default: throw .url
        }
        switch object["headers"] {
        case nil, is NSNull: headers = [:]
        case let fields as [String: String]: headers = fields
        default: throw .headers
        }
    }

    /// The request with the fresh URL and headers. A header replaces the one of its name.
    func applied(to request: DownloadRequest) throws(Fault) -> DownloadRequest {
        var request = request
        if let url { request.url = url }
        for (name, value) in headers {
            for old in request.headers.keys where old.lowercased() == name.lowercased() { request.headers[old] = nil }
            request.headers[name] = value
        }
        do throws(DownloadError) {
            try request.check()
        } catch {
            throw error.code == .badHeader ? .request : .url
        }
        return request
    }
}
