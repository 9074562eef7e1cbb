import Foundation
import TestSupport

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
