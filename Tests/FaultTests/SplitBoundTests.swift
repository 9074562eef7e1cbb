import Foundation
import Spate
import TestSupport
import Testing

/// How many requests a server gets that serves parts badly (ResumptionRules.md 107 and S34).
@Suite(.mostlyWaits) struct SplitBoundTests {
    struct Server: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var mebibytes = 16
        var bytesPerSecond = 16 << 20
        /// Where the answer without a range is cut.
        var cutsFirst: Int?
        var connections = ConnectionCount.automatic
        /// Whether the file arrives all the same.
        let arrives: Bool
        /// The most requests it may get.
        let most: Int
        /// The answer to a request for a range.
        let bend: @Sendable (_ request: ReceivedRequest, _ right: Reply, _ total: Int) -> Reply
    }

    static let servers =
        [ConnectionCount.automatic, .exactly(4)].map { connections in
            Server(
                testDescription: "helpers cut after their first bytes, \(connections)",
                mebibytes: 48,
                connections: connections,
                arrives: true,
                most: 8
            ) { request, right, _ in request.isForGap ? right.cut(after: 5_000) : right }
        }
        + [ConnectionCount.exactly(1), .automatic, .exactly(4)].flatMap { connections in
            [
                Server(
                    testDescription: "206s of ten bytes, \(connections)",
                    cutsFirst: 1 << 20,
                    connections: connections,
                    arrives: false,
                    most: 100
                ) { request, _, total in
                    let start = request.asked.lowerBound
                    return .bytes(
                        [
                            "HTTP/1.1 206 Partial Content", "ETag: \"v1\"", "Content-Length: 10",
                            "Content-Range: bytes \(start)-\(start + 9)/\(total)",
                        ],
                        [UInt8](repeating: 0, count: 10)
                    )
                },
                Server(
                    testDescription: "every range cut after 1,000 bytes, \(connections)",
                    cutsFirst: 1 << 20,
                    connections: connections,
                    arrives: false,
                    most: 60
                ) { _, right, _ in right.cut(after: 1_000) },
            ]
        }
        + [
            Server(
                testDescription: "helpers that get no answer",
                mebibytes: 24,
                bytesPerSecond: 3 << 20,
                connections: .automatic,
                arrives: true,
                most: 3
            ) { request, right, _ in request.isForGap ? .silence : right },
            Server(
                testDescription: "helpers that get no answer, of four",
                mebibytes: 12,
                bytesPerSecond: 4 << 20,
                connections: .exactly(4),
                arrives: true,
                most: 7
            ) { request, right, _ in request.isForGap ? .silence : right },
        ]

    @Test func requestsAreBounded() async throws {
        try await together(Self.servers) { try await Self.expectFewRequests(of: $0) }
    }

    private static func expectFewRequests(of server: Server) async throws {
        let bytes = [UInt8](repeating: 0, count: server.mebibytes << 20)
        let file = TestFile(bytes, etag: "\"v1\"")
        let rates = ConnectionRates(bytesPerSecond: server.bytesPerSecond)
        let host = try TestServer { request in
            let right = Reply.file(file, for: request).paced(by: rates, for: request)
            if request.range != nil { return server.bend(request, right, bytes.count) }
            return server.cutsFirst.map { right.cut(after: $0) } ?? right
        }
        let test = try TestManager { $0.connectionsPerDownload = server.connections }
        let result = try await test.manager.download(host.url("/f")).ended()
        #expect((result.error == nil) == server.arrives, "\(server.testDescription): \(result)")
        #expect(host.requests.count <= server.most, "\(server.testDescription): \(host.requests.count) requests")
    }
}
