import Foundation

/// What a test asks of an nginx, in the words of its own configuration.
package struct NginxSettings: Sendable {
    /// Directives for the `http` block, such as maps and zones.
    package var http: String
    /// Directives for the one `server` block.
    package var server: String
    /// How many processes answer.
    package var workers: String

    package init(http: String = "", server: String = "", workers: String = "1") {
        (self.http, self.server, self.workers) = (http, server, workers)
    }

    /// Answers to requests for the whole file stall after this many bytes. Answers to range requests are complete.
    ///
    /// The server counts the head, too, so that a little less of the file arrives.
    package static func stopping(after bytes: Int, server: String = "") -> NginxSettings {
        NginxSettings(
            http: "map $http_range $rate { '' 1; default 0; }",
            server: "limit_rate $rate; limit_rate_after \(bytes); \(server)"
        )
    }

    /// The whole configuration.
    ///
    /// - Parameter listeners: the server block's `listen` directives, and what they need.
    func text(listeners: String) -> String {
        """
        \(getuid() == 0 ? "user root;" : "")
        daemon off;
        worker_processes \(workers);
        pid nginx.pid;
        error_log stderr notice;
        events { worker_connections 1024; }
        http {
            default_type application/octet-stream;
            types { text/plain txt; }
            sendfile on;
            log_format entry escape=none '\(NginxLogEntry.format)';
            access_log /dev/stdout entry;
            client_body_temp_path temporary/body;
            proxy_temp_path temporary/proxy;
            fastcgi_temp_path temporary/fastcgi;
            uwsgi_temp_path temporary/uwsgi;
            scgi_temp_path temporary/scgi;
            \(http)
            server {
                \(listeners)
                root files;
                \(server)
            }
        }

        """
    }
}

/// A request that nginx has answered, from its log.
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

    /// Reads a line; `nil` if it is not an entry.
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
