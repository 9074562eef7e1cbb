package import Foundation
import SpateLocking

/// An nginx of a test's own: configuration, files, ports and processes.
///
/// It is killed with this object at the latest: keep it in a variable that is used to the test's end. Its ports stay
/// its own while it is down, so that connections are refused, and it can be started again.
package final class NginxServer: Sendable {
    /// What the server speaks at a port.
    package enum Way: String, Sendable, CaseIterable {
        case plain
        case tls
        /// HTTP/2, over TLS.
        case http2
    }

    struct Inside {
        var process: ChildProcess?
        /// What earlier processes wrote to the access log.
        var earlierLog = ""
    }

    private let ports: [Way: DeadPort]
    private let first: Way
    let home: TemporaryFolder
    let inside = Locked(Inside())

    /// Starts the server and returns when it listens.
    ///
    /// - Parameter ways: what it speaks, each at a port of its own.
    package init(_ ways: [Way], settings: NginxSettings = NginxSettings()) async throws {
        precondition(!ways.isEmpty, "a server speaks something")
        first = ways[0]
        ports = try Dictionary(uniqueKeysWithValues: ways.map { ($0, try DeadPort(.refusing)) })
        home = try TemporaryFolder()
        for name in ["files", "temporary"] {
            try FileManager.default.createDirectory(at: home.url(name), withIntermediateDirectories: false)
        }
        try configure(settings)
        try await start()
    }

    deinit {
        killAll()
    }

    /// The URL of a target, at the port of this way; of the first one given where none is named.
    package func url(_ target: String, over way: Way? = nil) -> URL {
        let way = way ?? first
        guard let port = ports[way]?.port else { preconditionFailure("this server does not speak \(way)") }
        let text = "\(way == .plain ? "http" : "https")://127.0.0.1:\(port)\(target)"
        guard let url = URL(string: text) else { preconditionFailure("not a URL: \(text)") }
        return url
    }

    // MARK: Files

    /// Puts a file in the place of another at once: an answer that is under way goes on with the one before.
    ///
    /// - Parameter modified: its date, which HTTP gives in whole seconds; now unless given.
    package func put(_ bytes: [UInt8], as name: String, modified: Date? = nil) throws {
        let (new, file) = (home.url("temporary/new"), home.url("files/" + name))
        try Data(bytes).write(to: new)
        if let modified {
            try FileManager.default.setAttributes([.modificationDate: modified], ofItemAtPath: new.path)
        }
        guard rename(new.path, file.path) == 0 else { throw SystemError("rename to \(name)") }
    }

    // MARK: What it says

    /// Every request that was answered, in the order of their ends.
    package var log: [NginxLogEntry] {
        let text = inside.withLock { $0.earlierLog + ($0.process?.output ?? "") }
        return text.split(separator: "\n").compactMap { NginxLogEntry(line: $0) }
    }

    /// Returns the log as soon as it meets the condition: a client may know of an answer's end before the log does.
    @discardableResult
    package func waitForLog(
        fileID: String = #fileID,
        line: Int = #line,
        until condition: ([NginxLogEntry]) -> Bool
    ) async throws -> [NginxLogEntry] {
        var log: [NginxLogEntry] = []
        try await eventually("some answers in nginx's log", fileID: fileID, line: line) {
            log = self.log
            return condition(log)
        }
        return log
    }

    /// Returns the log as soon as it has this many entries.
    @discardableResult
    package func waitForLog(
        _ count: Int,
        fileID: String = #fileID,
        line: Int = #line
    ) async throws -> [NginxLogEntry] {
        try await waitForLog(fileID: fileID, line: line) { $0.count >= count }
    }

    // MARK: Configuration

    func configure(_ settings: NginxSettings) throws {
        var lines: [String] = []
        for (way, port) in ports {
            let words = way == .plain ? "" : way == .tls ? " ssl" : " ssl http2"
            lines.append("listen 127.0.0.1:\(port.port)\(words);")
        }
        if ports.keys.contains(where: { $0 != .plain }) {
            let certificate = try TestCertificates.certificate(.good)
            lines.append("ssl_certificate \(certificate.certificate.path);")
            lines.append("ssl_certificate_key \(certificate.key.path);")
        }
        let text = settings.text(listeners: lines.joined(separator: "\n"))
        try Data(text.utf8).write(to: home.url("nginx.conf"))
    }
}

extension NginxServer {
    /// Whether the program is there. Where it is and fails, so do the tests.
    package static let isPossible = program != nil && TestCertificates.isPossible
    package static let requirement = "nginx or openssl is not installed: the tests with a real server are left out"

    static let program = InstalledProgram.path("nginx")
}

/// An nginx that refused its configuration.
struct NginxFailure: Error {
    let errors: String
}

extension String {
    func occurrences(of text: String) -> Int {
        components(separatedBy: text).count - 1
    }
}
