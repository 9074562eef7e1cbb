package import Foundation

/// A file as an origin server has it.
package struct TestFile: Sendable {
    package var bytes: [UInt8]
    /// With its quotes, and `W/` where it is weak.
    package var etag: String?
    package var lastModified: Date?
    /// More fields for each answer that bears the file or a part of it.
    package var fields: [(name: String, value: String)]

    package init(
        _ bytes: [UInt8],
        etag: String? = nil,
        lastModified: Date? = nil,
        fields: KeyValuePairs<String, String> = [:]
    ) {
        self.bytes = bytes
        self.etag = etag
        self.lastModified = lastModified
        self.fields = fields.map { ($0.key, $0.value) }
    }

    package init(_ text: String, etag: String? = nil, lastModified: Date? = nil) {
        self.init(Array(text.utf8), etag: etag, lastModified: lastModified)
    }

    /// Whether an If-Range with this value lets a part of the file be sent: strong comparison, or the exact date.
    func matches(ifRange: String) -> Bool {
        if let etag, !etag.hasPrefix("W/"), ifRange == etag { return true }
        return ifRange == lastModified?.httpText
    }

    /// Whether a condition of the request is not met: weak comparison, or a date that is not before the file's.
    func isUnchanged(for request: ReceivedRequest) -> Bool {
        if let tags = request.ifNoneMatch {
            guard let etag else { return false }
            let opaque = { (tag: Substring) in tag.hasPrefix("W/") ? tag.dropFirst(2) : tag }
            return tags.split(separator: ", ").contains { opaque($0) == opaque(etag[...]) }
        }
        guard let date = request.ifModifiedSince, let lastModified else { return false }
        return date == lastModified.httpText || DateFormatter.http.date(from: date).map { lastModified <= $0 } ?? false
    }
}

extension DateFormatter {
    fileprivate static var http: DateFormatter {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter
    }
}

extension Date {
    /// As HTTP writes dates: `Sun, 06 Nov 1994 08:49:37 GMT`.
    package var httpText: String {
        var seconds = time_t(timeIntervalSince1970.rounded(.down))
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let text = [CChar](unsafeUninitializedCapacity: 64) { buffer, count in
            count = strftime(buffer.baseAddress, buffer.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
        }
        return String(decoding: text.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// Status lines with the phrases of RFC 9110.
enum StatusLine {
    private static let phrases: [Int: String] = [
        100: "Continue", 102: "Processing", 103: "Early Hints",
        200: "OK", 204: "No Content", 205: "Reset Content", 206: "Partial Content",
        301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
        307: "Temporary Redirect", 308: "Permanent Redirect",
        400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 408: "Request Timeout",
        410: "Gone", 412: "Precondition Failed", 416: "Range Not Satisfiable", 425: "Too Early",
        429: "Too Many Requests", 500: "Internal Server Error", 502: "Bad Gateway", 503: "Service Unavailable",
        504: "Gateway Timeout",
    ]

    static func of(_ code: Int) -> String {
        "HTTP/1.1 \(code) \(phrases[code] ?? "Status")"
    }
}
