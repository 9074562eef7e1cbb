import Foundation
import TestSupport

/// The nginx that all programs fetch from, set up as distributions do: a process for each processor, `sendfile`,
/// connections kept alive. What it would log nobody reads.
final class BenchmarkServer: Sendable {
    /// How to get one.
    static let requirement = """
        spate-benchmark needs nginx and openssl: apt-get install nginx-light openssl, or dnf install nginx openssl
        """

    private let plain: DeadPort
    private let secured: DeadPort
    private let home: TemporaryFolder
    private let process: ChildProcess

    /// Starts it and returns when it listens; serves the files of `folder`.
    init(program: String, files folder: TemporaryFolder) async throws {
        plain = try DeadPort(.refusing)
        secured = try DeadPort(.refusing)
        home = try TemporaryFolder()
        let certificate = try TestCertificates.certificate(.good)
        let configuration = """
            \(getuid() == 0 ? "user root;" : "")
            daemon off;
            worker_processes auto;
            pid nginx.pid;
            error_log stderr notice;
            events { worker_connections 1024; }
            http {
                default_type application/octet-stream;
                sendfile on;
                access_log off;
                client_body_temp_path body;
                proxy_temp_path proxy;
                fastcgi_temp_path fastcgi;
                uwsgi_temp_path uwsgi;
                scgi_temp_path scgi;
                server {
                    listen 127.0.0.1:\(plain.port);
                    listen 127.0.0.1:\(secured.port) ssl;
                    ssl_certificate \(certificate.certificate.path);
                    ssl_certificate_key \(certificate.key.path);
                    root \(folder.path);
                }
            }

            """
        try Data(configuration.utf8).write(to: home.url("nginx.conf"))
        let arguments = ["-p", home.path, "-c", "nginx.conf", "-e", "stderr"]
        process = try ChildProcess(program, arguments, environment: [:], folder: home.path)
        try await process.waitForOutput(containing: "start worker process ")
    }

    /// The workers don't end with a master that is killed, and it would replace them: it is held still first.
    deinit {
        process.send(SIGSTOP)
        let path = "/proc/\(process.pid)/task/\(process.pid)/children"
        let workers = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        for worker in workers.split(separator: " ").compactMap({ Int32($0) }) { kill(worker, SIGKILL) }
        process.send(SIGKILL)
    }

    func url(_ name: String, isSecured: Bool) throws -> URL {
        let origin = isSecured ? "https://127.0.0.1:\(secured.port)" : "http://127.0.0.1:\(plain.port)"
        guard let url = URL(string: "\(origin)/\(name)") else { throw SystemError("URL of \(name)", number: EINVAL) }
        return url
    }
}
