import Foundation
import Spate
import SpateTestSupport
import Testing

/// A kind of server: its package, how it is started, and what it cannot do. `PORT`, `HOME` and `FILES` stand for the
/// port, the server's folder and the folder of its files.
struct OtherServer: Sendable, CustomTestStringConvertible {
    let package: String
    let program: String
    let arguments: [String]
    var configuration = ""
    /// What it needs beside its program.
    var file = "/"
    /// Whether it answers a range request for a file that has not changed with the range.
    var continues = true

    var testDescription: String { package }
    var path: String? { access(file, F_OK) == 0 ? InstalledProgram.path(program) : nil }

    static let installed = all.filter { $0.path != nil }
    static let missing = (all + [proxy()]).filter { $0.path == nil }.map(\.package)

    /// A proxy, with these lines in its configuration.
    static func proxy(_ lines: String = "") -> OtherServer {
        OtherServer(
            package: "tinyproxy-bin",
            program: "tinyproxy",
            arguments: ["-d", "-c", "HOME/settings"],
            configuration: "Port PORT\nListen 127.0.0.1\nLogLevel Error\n\(lines)\n"
        )
    }

    static let all = [
        OtherServer(
            package: "apache2-bin",
            program: "apache2",
            arguments: ["-d", "HOME", "-f", "HOME/settings", "-X"],
            configuration: """
                LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
                LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
                ServerName localhost
                Listen 127.0.0.1:PORT
                PidFile HOME/pid
                DefaultRuntimeDir HOME
                ErrorLog /dev/stderr
                DocumentRoot FILES
                \(getuid() == 0 ? "User www-data\nGroup www-data" : "")

                """
        ),
        OtherServer(
            package: "busybox",
            program: "busybox",
            arguments: ["httpd", "-f", "-p", "127.0.0.1:PORT", "-h", "FILES"]
        ),
        OtherServer(
            package: "lighttpd",
            program: "lighttpd",
            arguments: ["-D", "-f", "HOME/settings"],
            // Without a type for it, it gives a file no validator.
            configuration: """
                mimetype.assign = ("" => "application/octet-stream")
                server.document-root = "FILES"
                server.bind = "127.0.0.1"
                server.port = PORT
                # Else it knows the size of a file that was replaced a second ago.
                server.stat-cache-engine = "disable"

                """
        ),
        OtherServer(
            package: "webfs",
            program: "webfsd",
            arguments: ["-F", "-4", "-i", "127.0.0.1", "-p", "PORT", "-r", "FILES"]
        ),
        OtherServer(
            package: "ruby-webrick",
            program: "ruby",
            arguments: [
                "-rwebrick", "-e",
                "WEBrick::HTTPServer.new(BindAddress: '127.0.0.1', Port: PORT, DocumentRoot: 'FILES').start",
            ],
            file: "/var/lib/dpkg/info/ruby-webrick.list",
            // It answers 304 to every If-Range that matches.
            continues: false
        ),
    ]
}

/// A running server with the file `f`, a relay before it that can hold the first answer, and a manager.
final class OtherStory: Sendable {
    static let held = 1_000_000

    let kind: OtherServer
    let relay: Relay
    let test: TestManager
    private let home: TemporaryFolder
    private let port: DeadPort
    private let process = Watched<ChildProcess?>(nil)

    init(_ kind: OtherServer, holding: Bool = true, modified: Date? = RealStory.date) async throws {
        self.kind = kind
        home = try TemporaryFolder()
        port = try DeadPort(.refusing)
        relay = try Relay(to: port.port, holdingAfter: holding ? RealStory.stop : nil)
        test = try TestManager { $0.retry.maxRetriesWithoutProgress = 100_000 }
        try FileManager.default.createDirectory(at: home.url("files"), withIntermediateDirectories: false)
        // A server that gives up root's rights must read them, too.
        for path in [home.path, home.path("files")] { chmod(path, 0o755) }
        try Data(filled(kind.configuration).utf8).write(to: home.url("settings"))
        try put(RealStory.bytes, modified: modified)
        try await start()
    }

    deinit {
        process.value?.killWithChildren()
    }

    private func filled(_ text: String) -> String {
        text.replacing("PORT", with: "\(port.port)").replacing("HOME", with: home.path)
            .replacing("FILES", with: home.path("files"))
    }

    func start() async throws {
        let program = try #require(kind.path)
        let child = try ChildProcess(program, kind.arguments.map(filled), environment: [:], folder: home.path)
        process.update { $0 = child }
        try await eventually("\(kind.package) listens") {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            defer { close(descriptor) }
            return LoopbackAddress.connect(descriptor, port: port.port) == 0
        }
    }

    /// Kills the server, and ends what was under way.
    func kill() async throws {
        let child = process.value
        child?.killWithChildren()
        try await child?.waitForExit()
        relay.cut()
    }

    func put(_ bytes: [UInt8], modified: Date?) throws {
        let (new, file) = (home.url("new"), home.url("files/f"))
        try Data(bytes).write(to: new)
        chmod(new.path, 0o644)
        if let modified {
            try FileManager.default.setAttributes([.modificationDate: modified], ofItemAtPath: new.path)
        }
        try #require(rename(new.path, file.path) == 0)
    }

    /// A download of `f` that stands in its middle.
    func begin() async throws -> Download {
        let received = Recorder<Int64>()
        let download = test.manager.download(
            url,
            progress: { received.append($0.receivedBytes) },
            // One that ends early is not waited for: what comes next says how it ended.
            completion: { _ in received.append(.max) }
        )
        try await received.wait(until: { ($0.last ?? 0) >= Self.held })
        return download
    }

    var url: URL {
        guard let url = URL(string: "http://127.0.0.1:\(relay.port)/f") else { preconditionFailure("not a URL") }
        return url
    }

    /// Expects the download to end well with this content, and returns how many bytes came after the held answer.
    @discardableResult
    func publishes(_ download: Download, _ content: [UInt8] = RealStory.bytes) async throws -> Int {
        _ = try await download.ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: content) == nil)
        #expect(test.names == ["f"])
        return relay.byteCounts.dropFirst().reduce(0, +)
    }
}
