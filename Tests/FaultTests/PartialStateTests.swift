import Foundation
import Spate
import TestSupport
import Testing

/// What may lie in the place of a partial file, by every way in which a server may frame its answers, over http or https
/// or behind a redirect: the table that apt's own tests go through. The outcome is the same file each time.
@Suite struct PartialStateTests {
    enum State: CaseIterable {
        case none, valid, corrupt, tooBig, complete, old
    }

    enum Framing: CaseIterable {
        case length, chunked, close

        func applied(to reply: Reply) -> Reply {
            switch self {
            case .length: reply
            case .chunked: reply.chunked(size: 30_000)
            case .close: reply.withoutLength
            }
        }
    }

    enum Approach: CaseIterable {
        case http, https, redirect
    }

    struct Way: Sendable, CustomTestStringConvertible {
        let framing: Framing
        let approach: Approach
        static let all = Approach.allCases.flatMap { approach in
            Framing.allCases.map { Way(framing: $0, approach: approach) }
        }
        var path: String { approach == .redirect ? "/moved/f" : "/f" }
        var testDescription: String { "\(framing), \(approach)" }
    }

    private static let bytes = TestBytes.random(count: 300_000)
    private static let digest = "f24ee6782df176a08b8dd47ec74511f1d1eec63333e980ac0335a03b9689ddcf"
    private static let older = TestBytes.random(count: 280_000, seed: 2)
    private static let left = 100_000

    @Test(arguments: State.allCases, Way.all.filter { $0.approach != .https })
    func eachStateEndsAsTheFile(state: State, way: Way) async throws {
        try await check(state, way, trusting: nil)
    }

    @Test(
        .enabled(if: ServerTLS.isPossible, "\(ServerTLS.requirement)"),
        arguments: State.allCases,
        Way.all.filter { $0.approach == .https }
    )
    func eachStateEndsAsTheFileOverTLS(state: State, way: Way) async throws {
        try await check(state, way, trusting: TestCertificates.authority)
    }

    private func check(_ state: State, _ way: Way, trusting authority: URL?) async throws {
        let server = try server(for: state, way)
        let test = try TestManager { $0.certificateAuthorities = authority }
        if state != .none { try await leave(state, in: test, at: server.url(way.path)) }
        let count = server.requests.count

        var request = DownloadRequest(server.url(way.path))
        request.sha256 = Self.digest
        let download = test.manager.download(request)
        _ = try await download.ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: Self.bytes) == nil && test.names == ["f"])
        #expect(test.manager.isDownloaded(request.url))

        let asked = server.requests.dropFirst(count)
        let ranges = asked.filter { $0.path == "/f" }.map(\.range)
        #expect(ranges == expectedRanges(state, way.framing))
        #expect(asked.allSatisfy { ($0.range == nil) == ($0.ifRange == nil) })
        let came = download.remarks.contains(.lengthNotVerified)
        #expect(came == (way.framing == .close && (ranges.last == .some(nil) || state == .old)))
    }

    /// Serves `/f`, to which `/moved/f` leads. What is left of a download is of the first answer.
    private func server(for state: State, _ way: Way) throws -> TestServer {
        try TestServer(tls: way.approach == .https ? .good : nil) { request in
            if request.path == "/moved/f" { return .redirect(to: "/f") }
            let isFirst = state != .none && request.visit == 1
            let file =
                isFirst && state == .old
                ? TestFile(Self.older, etag: "\"v0\"") : TestFile(Self.bytes, etag: "\"v1\"")
            let reply = way.framing.applied(to: .file(file, for: request))
            return isFirst ? reply.stalled(after: Self.left) : reply
        }
    }

    private func leave(_ state: State, in test: TestManager, at url: URL) async throws {
        try await test.leavePartial(of: url, at: Int64(Self.left))
        switch state {
        case .none, .valid, .old: break
        case .corrupt: try Data(count: Self.left).write(over: test.folder.url("f.part"))
        case .tooBig: try test.append(Self.bytes[Self.left...] + [1], to: "f.part")
        case .complete: try test.append(Self.bytes[Self.left...], to: "f.part")
        }
    }

    private func expectedRanges(_ state: State, _ framing: Framing) -> [String?] {
        switch state {
        case .none: [nil]
        case .valid, .old: ["bytes=100000-"]
        // The tag says that it is the same file; the checksum, that it is not.
        case .corrupt: ["bytes=100000-", nil]
        // Where the size is known nothing need be asked to see that this is more.
        case .tooBig: framing == .length ? [nil] : ["bytes=300001-", nil]
        case .complete: ["bytes=300000-"]
        }
    }
}

extension Data {
    /// Writes over a file's beginning, so that what belongs to the file stays with it.
    fileprivate func write(over file: URL) throws {
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        try handle.write(contentsOf: self)
    }
}
