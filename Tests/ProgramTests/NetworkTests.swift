import Foundation
import TestSupport
import Testing

@Suite struct NetworkTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func theProxyOfTheEnvironmentIsUsed() async throws {
        let proxy = try TestServer { .file([1, 2, 3], for: $0) }
        let environment = ["http_proxy": "http://127.0.0.1:\(proxy.port)", "no_proxy": ""]
        let run = try SpateRun(["http://nowhere.invalid/a.bin"], in: folder, environment: environment)
        #expect(try await run.exitCode() == 0)
        #expect(proxy.requests.map(\.target) == ["http://nowhere.invalid/a.bin"])
        #expect(try folder.bytes("a.bin") == [1, 2, 3])
    }

    @Test(.enabled(if: TemporaryMount.isPossible, "only root can give a process its own name server"))
    func aHangingLookupDoesNotDelayTheExit() async throws {
        let resolver = try SilentResolver()
        let settings = "nameserver \(resolver.address)\noptions timeout:30 attempts:5\n"
        try Data(settings.utf8).write(to: folder.url("resolv.conf"))
        // In its own mount namespace the program sees another resolv.conf.
        let script = "mount --bind \"$1\" /etc/resolv.conf && exec \"$2\" http://slow.example.test/a.bin"
        let child = try ChildProcess(
            "/usr/bin/unshare",
            ["--mount", "/bin/sh", "-c", script, "sh", folder.path("resolv.conf"), BuiltProgram.path("spate")],
            environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"],
            folder: folder.path
        )
        try await eventually("the name server is asked") { resolver.wasAsked }
        let began = ContinuousClock.now
        child.send(SIGINT)
        #expect(try await child.waitForExit() == .status(130))
        // The lookup itself would take five times thirty seconds.
        #expect(ContinuousClock.now - began < .seconds(120))
    }
}
