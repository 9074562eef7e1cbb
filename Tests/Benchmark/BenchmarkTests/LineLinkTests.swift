import Foundation
import Testing

@testable import spate_benchmark

/// Measured with bash, which opens connections itself. Bounds hold on a machine that is busy, too.
@Suite(.serialized) struct LineLinkTests {
    /// Cancels the test where this machine cannot have a line.
    private func link(_ line: Line, seed: Int = 0, hosts: Int = 1) async throws -> LineLink {
        do {
            return try await LineLink(line, seed: seed, hosts: hosts)
        } catch let obstacle as LineObstacle {
            try Test.cancel("A line is not possible here: \(obstacle.reason)")
        }
    }

    /// Runs a script of bash at the client's end, and says how long it took.
    @discardableResult
    private func seconds(_ script: String, over link: LineLink) async throws -> Double {
        let folder = try TemporaryFolder()
        let run = try StopwatchRun("/bin/bash", ["-c", script], scratch: folder.path, through: link.clientEntrance)
        return try await run.cost().wallSeconds
    }

    /// What a program says at the client's end.
    private func output(of command: [String], over link: LineLink) async throws -> String {
        let words = link.clientEntrance + command
        let child = try Child(words[0], Array(words.dropFirst()))
        #expect(try await child.end() == 0, "\(child.errors)")
        return child.output
    }

    /// An nginx at the server's end with a file of this size, and a script that fetches it.
    private func server(
        over link: LineLink,
        bytes: Int
    ) async throws -> (nginx: Nginx, files: TemporaryFolder, fetch: String) {
        let (nginx, files) = (try await Nginx(at: LineLink.serverAddresses(1)), try TemporaryFolder())
        try Data(count: bytes).write(to: files.url("file"))
        try await nginx.start(serving: files.path, through: link.serverEntrance)
        let url = try #require(URL(string: nginx.url("file", over: .http)))
        let fetch = """
            exec 3<>/dev/tcp/\(try #require(url.host))/\(try #require(url.port)) || exit
            printf 'GET /file HTTP/1.0\\r\\n\\r\\n' >&3
            test $(cat <&3 | wc -c) -gt \(bytes)
            """
        return (nginx, files, fetch)
    }

    @Test func aConnectionTakesARoundTrip() async throws {
        let link = try await link(Line(roundTripMilliseconds: 300, megabitsPerSecond: 100))
        // Nobody listens, which the server's end answers at once.
        let connecting = "exec 3<>/dev/tcp/198.18.0.2/9"
        let seconds = try await seconds("\(connecting) 2>&- || exit 0", over: link)
        #expect(seconds > 0.299 && seconds < 5)
        try await link.end()
    }

    @Test func aTransferTakesWhatTheRateAllows() async throws {
        let link = try await link(Line(roundTripMilliseconds: 10, megabitsPerSecond: 10))
        let server = try await server(over: link, bytes: 1 << 20)
        let seconds = try await seconds(server.fetch, over: link)
        try await server.nginx.stop()
        let counts = try await link.end()
        // Of the bytes alone, without their headers.
        #expect(seconds > Double(8 << 20) / 10e6 && seconds < 30)
        #expect(counts.carried > 700 && counts.lost == 0)
    }

    @Test func packetsAreLostAndTheFileStillComesWhole() async throws {
        let link = try await link(Line(roundTripMilliseconds: 10, megabitsPerSecond: 100, lossPercent: 3), seed: 5)
        let server = try await server(over: link, bytes: 2 << 20)
        try await seconds(server.fetch, over: link)
        try await server.nginx.stop()
        let counts = try await link.end()
        let share = Double(counts.lost) / Double(counts.carried + counts.lost)
        #expect(share > 0.01 && share < 0.06, "\(counts)")
    }

    @Test func eachHostHasAnAddressAndThereIsNoOtherWay() async throws {
        let link = try await link(Line(roundTripMilliseconds: 2, megabitsPerSecond: 100), hosts: 8)
        let nginx = try await Nginx(at: LineLink.serverAddresses(8))
        let folder = try TemporaryFolder()
        try await nginx.start(serving: folder.path, through: link.serverEntrance)
        let port = try #require(URL(string: nginx.url("file", over: .http))?.port)
        let each = LineLink.serverAddresses(8).map { "exec 3<>/dev/tcp/\($0)/\(port) || exit 1" }
        try await seconds(each.joined(separator: "\n"), over: link)
        try await nginx.stop()
        // A port that everybody else on this machine reaches.
        let other = try LoopbackPort(listens: true)
        try await seconds("! exec 3<>/dev/tcp/127.0.0.1/\(other.number)", over: link)
        let devices = try await output(of: ["/bin/cat", "/proc/net/dev"], over: link).split(separator: "\n").dropFirst(
            2
        )
        .map { $0.split(separator: ":")[0].trimmingCharacters(in: .whitespaces) }
        #expect(devices.sorted() == ["line0", "lo"])
        try await link.end()
    }

    @Test func nothingIsRememberedAndCUBICSends() async throws {
        let link = try await link(Line(roundTripMilliseconds: 2, megabitsPerSecond: 100))
        let setting = "/proc/sys/net/ipv4/tcp_no_metrics_save"
        #expect(try await output(of: ["/bin/cat", setting], over: link) == "1\n")
        guard let ip = ProgramPath.installed("ip") else { try Test.cancel("ip, which shows routes, is not installed") }
        #expect(try await output(of: [ip, "route"], over: link).contains("198.18.0.0/15 dev line0"))
        #expect(try await output(of: [ip, "route"], over: link).contains("congctl cubic"))
        try await link.end()
    }

    @Test func nothingIsLeftOfALine() async throws {
        let link = try await link(Line(roundTripMilliseconds: 2, megabitsPerSecond: 100))
        let (pid, entrance) = (link.pid, link.clientEntrance)
        #expect(try await output(of: ["/bin/cat", "/proc/net/dev"], over: link).contains("line0"))
        try await link.end()
        #expect(kill(pid, 0) == -1 && errno == ESRCH)
        let late = try Child(entrance[0], entrance.dropFirst() + ["/bin/true"])
        #expect(try await late.end() != 0)
    }

    @Test func aLineEndsWithTheProcessThatStartedIt() async throws {
        _ = try await link(Line(roundTripMilliseconds: 2, megabitsPerSecond: 100)).end()
        let line = try ProgramPath.built("line")
        let shell = try Child("/bin/bash", ["-c", "\(line) carry 2 100 0 100000 0 1 & echo pid $!; wait"])
        await Waiting.until { shell.output.contains("ready") }
        let words = shell.output.split(whereSeparator: \.isWhitespace)
        let pid = try #require(words.firstIndex(of: "pid").flatMap { Int32(words[$0 + 1]) })
        #expect(kill(pid, 0) == 0)
        defer { if kill(pid, 0) == 0 { kill(pid, SIGKILL) } }
        shell.send(SIGKILL)
        await Waiting.until { kill(pid, 0) == -1 }
    }

    @Test func aLineThatCannotBeSaysWhy() async throws {
        let child = try Child(ProgramPath.built("line"), ["carry", "2", "100"])
        #expect(try await child.end() == 125)
        #expect(child.errors == "line carry takes six numbers\n")
    }
}
