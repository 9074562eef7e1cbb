import Foundation

/// An nginx that serves one folder after another, always at the same ports.
final class Nginx {
    static var isPossible: Bool { program != nil && openssl != nil }

    private static let program = ProgramPath.installed("nginx")
    private static let openssl = ProgramPath.installed("openssl")

    private let home: TemporaryFolder
    private let addresses: [String]
    private let ports: (http: UInt16, https: UInt16, http2: UInt16)
    private var process: Child?

    /// What a client must trust.
    var certificate: String { home.path("certificate.pem") }

    /// - Parameter addresses: where it listens, always at the same ports.
    init(at addresses: [String] = ["127.0.0.1"]) async throws {
        home = try TemporaryFolder()
        self.addresses = addresses
        let free = (try LoopbackPort(), try LoopbackPort(), try LoopbackPort())
        ports = (free.0.number, free.1.number, free.2.number)
        let making = try Child(
            Self.openssl ?? "openssl",
            ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
                + ["-subj", "/CN=spate-benchmark", "-addext"]
                + ["subjectAltName=" + addresses.map { "IP:" + $0 }.joined(separator: ",")]
                + ["-keyout", home.path("key.pem"), "-out", certificate]
        )
        guard try await making.end() == 0 else { throw WorkFailure("openssl: \(making.errors)") }
    }

    /// - Parameter address: one of its own; the first if `nil`.
    func url(_ name: String, over webProtocol: Scenario.WebProtocol, at address: String? = nil) -> String {
        let address = address ?? addresses[0]
        return switch webProtocol {
        case .http: "http://\(address):\(ports.http)/\(name)"
        case .https: "https://\(address):\(ports.https)/\(name)"
        case .http2: "https://\(address):\(ports.http2)/\(name)"
        }
    }

    /// Starts it, and returns when it listens.
    ///
    /// - Parameters:
    ///   - rate: what each connection gets; as much as it can if `nil`.
    ///   - entrance: what the command begins with.
    func start(
        serving folder: String,
        rate: Scenario.ConnectionRate? = nil,
        through entrance: [String] = []
    ) async throws {
        try Data(settings(serving: folder, rate: rate).utf8).write(to: home.url("nginx.conf"))
        let command =
            entrance + [Self.program ?? "nginx", "-p", home.path, "-c", home.path("nginx.conf"), "-e", "stderr"]
        let child = try Child(command[0], Array(command.dropFirst()))
        process = child
        // It is written once the ports are open. A connection that asks would count as one of the clients'.
        while access(home.path("pid"), F_OK) != 0 {
            guard child.isRunning else { throw WorkFailure("nginx ended: \(child.errors)") }
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    /// Stops it, and returns how many bytes of files it has sent since it was started with a rate.
    ///
    /// - Parameter signal: SIGQUIT lets it send what it has begun; SIGTERM does not.
    @discardableResult
    func stop(by signal: Int32 = SIGQUIT) async throws -> Int {
        guard let child = process else { return 0 }
        process = nil
        child.send(signal)
        try await child.end()
        return child.output.split(separator: "\n").compactMap { Int($0) }.reduce(0, +)
    }

    /// It lets a connection have any number of requests. After the usual thousand, programs with one connection over HTTP/2
    /// would connect again, and wget2 stops there.
    private func settings(serving folder: String, rate: Scenario.ConnectionRate?) -> String {
        """
        \(getuid() == 0 ? "user root;" : "")
        daemon off;
        worker_processes \(rate == nil ? "auto" : "1");
        pid \(home.path("pid"));
        error_log stderr;
        events { worker_connections 1024; }
        http {
            sendfile on;
            keepalive_requests 1000000;
            log_format bytes '$body_bytes_sent';
            access_log \(rate == nil ? "off" : "/dev/stdout bytes");
            map $connection $rate { 3 \(rate?.of(3) ?? 0); default \(rate?.bytesPerSecond ?? 0); }
            \(rate == nil ? "" : "sendfile_max_chunk 32k;")
            client_body_temp_path \(home.path("body"));
            proxy_temp_path \(home.path("proxy"));
            fastcgi_temp_path \(home.path("fastcgi"));
            uwsgi_temp_path \(home.path("uwsgi"));
            scgi_temp_path \(home.path("scgi"));
            server {
                \(addresses.map(listening).joined(separator: "\n            "))
                ssl_certificate \(certificate);
                ssl_certificate_key \(home.path("key.pem"));
                root \(folder);
                limit_rate $rate;
            }
        }

        """
    }

    private func listening(at address: String) -> String {
        "listen \(address):\(ports.http); listen \(address):\(ports.https) ssl; "
            + "listen \(address):\(ports.http2) ssl http2;"
    }
}
