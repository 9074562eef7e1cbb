import CSpateSystem
import Foundation
import Spate
import SpateTestSupport
import Testing

/// A server that gives each connection the same rate, and a manager that fetches one file over four of them.
struct SplitStory {
    static let connections = 4
    static let bytes = TestBytes.random(count: 6 << 20)
    /// Another version: as large, and different in every 512 bytes, so that any mixture shows.
    static let newer = TestBytes.random(count: 6 << 20, seed: 2)
    static let file = TestFile(bytes, etag: "\"v1\"", lastModified: Date(timeIntervalSince1970: 1_700_000_000))
    /// What one connection brings in a second: alone it needs 0.4 of one.
    static let bytesPerSecond = 16 << 20

    let server: TestServer
    let test: TestManager

    /// - Parameters:
    ///   - bytesPerSecond: what each connection brings, as it is at the moment.
    ///   - answer: the reply to a request, and whether it is as it should be; one without a pace gets the connection's
    ///     rate.
    init(
        bytesPerSecond: @escaping @Sendable @autoclosure () -> Int = bytesPerSecond,
        _ change: (inout DownloadManager.Configuration) -> Void = { _ in },
        answering answer: @escaping @Sendable (ReceivedRequest) -> Reply
    ) throws {
        let rates = ConnectionRates { _ in bytesPerSecond() }
        server = try TestServer { answer($0).paced(by: rates, for: $0) }
        test = try TestManager {
            $0.connectionsPerDownload = .exactly(Self.connections)
            $0.retry.maximumRetryAfter = .milliseconds(50)
            change(&$0)
        }
    }

    /// How the download ends, after which this holds: the file is one version from its first byte to its last, or there
    /// is none and what is kept is of one version; nobody was asked by too many connections, or in vain again and again.
    func end(
        _ change: (inout DownloadRequest) -> Void = { _ in },
        wasFutile: (ReceivedRequest) -> Bool = { _ in false }
    ) async throws -> Result<URL, DownloadError> {
        var request = DownloadRequest(server.url("/f"))
        change(&request)
        let result = try await test.manager.download(request).ended()
        switch result {
        case .success:
            #expect(test.names == ["f"])
            #expect(Self.version(of: try test.bytes("f")) != nil, "a mixture")
        case .failure(let error):
            #expect(test.names == (error.keptPartialFile ? ["f.part"] : []), "\(error)")
            if error.keptPartialFile { try expectOneVersionKept() }
        }
        let requests = server.requests
        #expect(server.mostAtOnce <= Self.connections)
        #expect(
            requests.count { wasFutile($0) || server.bytesSent(for: $0) == 0 } <= 40,
            "\(requests.map(\.range))"
        )
        for gap in requests where gap.isForGap {
            #expect(gap.version == "HTTP/1.1" && gap.ifRange?.hasPrefix("W/") != true, "\(gap)")
        }
        return result
    }

    /// 1 or 2, if these are all the bytes of that version.
    static func version(of content: [UInt8]) -> Int? {
        if TestBytes.difference(content, from: bytes) == nil { return 1 }
        return TestBytes.difference(content, from: newer) == nil ? 2 : nil
    }

    private func expectOneVersionKept() throws {
        let kept = try test.bytes("f.part")
        let filled = try Self.filled(in: test.folder.path("f.part"))
        #expect(filled.allSatisfy { $0.upperBound <= kept.count }, "\(filled) of \(kept.count)")
        let isOneVersion = [Self.bytes, Self.newer].contains { version in
            filled.allSatisfy { TestBytes.difference(kept[$0.clamped(to: kept.indices)], from: version[$0]) == nil }
        }
        #expect(isOneVersion, "a mixture in \(filled)")
    }

    /// What a partial file says it holds; all of it where it says nothing.
    static func filled(in path: String) throws -> [Range<Int>] {
        guard let text = try attributes(of: path)["user.spate.filled"] else {
            return [0..<(try Data(contentsOf: URL(filePath: path)).count)]
        }
        return try text.split(separator: " ").map { range in
            let ends = range.split(separator: "-").compactMap { Int($0) }
            try #require(ends.count == 2 && ends[0] <= ends[1], "\(range)")
            return ends[0]..<ends[1]
        }
    }
}

extension ReceivedRequest {
    /// Whether it names both ends of a range, as a helper's does; the first one names none, or the beginning alone.
    var isForGap: Bool { range.map { !$0.hasSuffix("-") } ?? false }

    /// The part of the story's file that it asks for.
    var asked: Range<Int> {
        let ends = (range?.dropFirst("bytes=".count).split(separator: "-") ?? []).compactMap { Int($0) }
        let end = ends.count > 1 ? ends[1] + 1 : SplitStory.bytes.count
        let start = min(ends.first ?? 0, SplitStory.bytes.count)
        return start..<min(max(start, end), SplitStory.bytes.count)
    }
}
