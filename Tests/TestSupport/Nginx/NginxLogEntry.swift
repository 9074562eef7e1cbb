/// A request that an nginx has answered, as its log tells.
package struct NginxLogEntry: Sendable, Equatable {
    /// Counted from the server's start.
    package let connection: Int
    /// Such as `HTTP/2.0`.
    package let version: String
    package let target: String
    package let status: Int
    package let range: String?
    package let ifRange: String?
    /// How much of the body was given to the connection.
    package let bodyBytes: Int
    /// Whether the answer was given in full.
    package let isComplete: Bool

    static let format =
        "$connection\\t$server_protocol\\t$request_uri\\t$status\\t$http_range\\t$http_if_range\\t$body_bytes_sent\\t"
        + "$request_completion"

    /// Reads a line; `nil` for one that is not an entry.
    init?(line: Substring) {
        let values = line.split(separator: "\t", omittingEmptySubsequences: false)
        guard values.count == 8, let connection = Int(values[0]), let status = Int(values[3]),
            let bodyBytes = Int(values[6])
        else { return nil }
        self.connection = connection
        self.version = String(values[1])
        self.target = String(values[2])
        self.status = status
        self.range = values[4].isEmpty ? nil : String(values[4])
        self.ifRange = values[5].isEmpty ? nil : String(values[5])
        self.bodyBytes = bodyBytes
        self.isComplete = values[7] == "OK"
    }
}
