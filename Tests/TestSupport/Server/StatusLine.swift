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
