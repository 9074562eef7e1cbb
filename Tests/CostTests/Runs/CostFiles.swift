import Foundation
import SpateTestSupport

/// Many files of 4 KiB, and what one of them costs.
enum SmallFiles {
    /// What one costs.
    struct Cost: Sendable {
        /// For each file, beyond what a program costs that downloads fewer.
        var calls: CallTable
        /// For all of them.
        var connections: Int
    }

    private static let file = TestFile(
        TestBytes.random(count: 4_096),
        etag: "\"v1\"",
        lastModified: Date(timeIntervalSince1970: 1_700_000_000)
    )
    private static let (few, many) = (100, 300)

    /// Counted once for all tests.
    static let cost = Task { try await count() }

    /// Counts the calls of two runs of the program.
    static func count() async throws -> Cost {
        let server = try makeServer()
        defer { server.stop() }
        let shorter = try await CostRun.calls(files(0..<few, of: server))
        let before = server.connectionCount
        let longer = try await CostRun.calls(files(0..<many, of: server))
        return Cost(
            calls: CallTable(longer, without: shorter, per: many - few),
            connections: server.connectionCount - before
        )
    }

    /// The allocations for each file; `nil` where a sanitizer has the heap.
    static func allocations() async throws -> Double? {
        let server = try makeServer()
        defer { server.stop() }
        let (second, third) = (few..<(2 * few), (2 * few)..<(2 * few + many))
        let turns = [0..<few, second, third].map { files($0, of: server) }
        return try await CostRun.allocations(turns).map { ($0[1] - $0[0]) / Double(many - few) }
    }

    private static func makeServer() throws -> TestServer {
        try TestServer { .file(file, for: $0) }
    }

    private static func files(_ numbers: Range<Int>, of server: TestServer) -> [(url: URL, bytes: [UInt8])] {
        numbers.map { (server.url("/f\($0).bin"), file.bytes) }
    }
}

/// Two large files of different lengths, and what a piece of one costs.
enum LargeFiles {
    private static let (shorter, longer) = (8, 40)
    /// By how much one is longer.
    static let mebibytes = longer - shorter
    static let blocks = mebibytes * 4

    /// Counted once for all tests.
    static let calls = Task { try await countCalls() }

    /// Counts the calls of two runs of the program; for each mebibyte.
    static func countCalls() async throws -> CallTable {
        let (short, long, server) = try makeFiles()
        defer { server.stop() }
        return CallTable(try await CostRun.calls([long]), without: try await CostRun.calls([short]), per: mebibytes)
    }

    /// The allocations for each block of 256 KiB; `nil` where a sanitizer has the heap.
    static func allocations() async throws -> Double? {
        let (short, long, server) = try makeFiles()
        defer { server.stop() }
        let first = (url: server.url("/first"), bytes: short.bytes)
        return try await CostRun.allocations([[first], [short], [long]]).map { ($0[1] - $0[0]) / Double(blocks) }
    }

    private typealias Served = (url: URL, bytes: [UInt8])

    private static func makeFiles() throws -> (short: Served, long: Served, server: TestServer) {
        let files = [shorter, longer].map { TestFile(TestBytes.random(count: $0 << 20), etag: "\"\($0)\"") }
        let server = try TestServer(files: ["/first": files[0], "/short": files[0], "/long": files[1]])
        return ((server.url("/short"), files[0].bytes), (server.url("/long"), files[1].bytes), server)
    }
}
