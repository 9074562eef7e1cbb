import Foundation

/// What a test asks of an nginx, in the words of its own configuration.
package struct NginxSettings: Sendable {
    /// Directives for the outermost level, such as those of processes.
    package var main: String
    /// Directives for the `http` block, such as maps and zones.
    package var http: String
    /// Directives for the one `server` block.
    package var server: String
    /// How many processes answer.
    package var workers: String

    package init(main: String = "", http: String = "", server: String = "", workers: String = "1") {
        (self.main, self.http, self.server, self.workers) = (main, http, server, workers)
    }

    /// Answers for a whole file stop short after so many bytes, and stay so; what is asked for with a range comes fast.
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
        \(main)
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
