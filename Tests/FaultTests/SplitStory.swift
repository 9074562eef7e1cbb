import CSystem
import Foundation
import Spate
import TestSupport
import Testing

/// A server that gives each connection the same rate, and a manager that fetches one file over four of them.
struct SplitStory {
    static let connections = 4
    static let bytes = TestBytes.random(count: 6 << 20)
    /// Another version: as large, and different in every 512 bytes, so that any mixture shows.
    static let newer = TestBytes.random(count: 6 << 20, seed: 2)
    static let file = TestFile(bytes, etag: "\"v1\"", lastModified: Date(timeIntervalSince1970: 1_700_000_000))
    /// The most ticks that ending all connections may take. A sanitizer makes everything several times slower.
    static let promptTicks = Sanitizer.isPresent ? 500 : 100
    /// What one connection brings in a second: alone it needs 0.4 of one.
    static let bytesPerSecond = 16 << 20

    let server: TestServer
    let test: TestManager
    /// What it is about, for the messages of a test that tells several.
    private let name: String

    /// - Parameters:
    ///   - bytesPerSecond: what each connection brings, as it is at the moment.
    ///   - answer: the reply to a request, and whether it is as it should be; one without a pace gets the connection's
    ///     rate.
    init(
        _ name: String = "",
        bytesPerSecond: @escaping @Sendable @autoclosure () -> Int = bytesPerSecond,
        _ change: (inout DownloadManager.Configuration) -> Void = { _ in },
        answering answer: @escaping @Sendable (ReceivedRequest) -> Reply
    ) throws {
        self.name = name
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
        let download = test.manager.download(request)
        async let fallen = Self.progressFell(download)
        let result = try await download.ended()
        #expect(await !fallen, "\(name): progress fell within an attempt")
        switch result {
        case .success:
            #expect(test.names == ["f"], "\(name)")
            #expect(Self.version(of: try test.bytes("f")) != nil, "\(name): a mixture")
        case .failure(let error):
            #expect(test.names == (error.keptPartialFile ? ["f.part"] : []), "\(name): \(error)")
            if error.keptPartialFile { try expectOneVersionKept() }
        }
        let requests = server.requests
        #expect(server.mostAtOnce <= Self.connections, "\(name)")
        #expect(
            requests.count { wasFutile($0) || server.bytesSent(for: $0) == 0 } <= 40,
            "\(name): \(requests.map(\.range))"
        )
        for gap in requests where gap.isForGap {
            #expect(gap.version == "HTTP/1.1" && gap.ifRange?.hasPrefix("W/") != true, "\(name): \(gap)")
        }
        return result
    }

    /// How many ticks it takes from a call to the end of all connections.
    func ticksToTheEnd(after call: @escaping @Sendable () -> Void) async -> Int {
        await ticks(until: { [server] in server.openConnections == 0 }, after: call)
    }

    private static func progressFell(_ download: Download) async -> Bool {
        var (last, fell) = (Int64(0), false)
        for await event in download.events {
            switch event {
            case .progress(let progress):
                fell = fell || progress.receivedBytes < last
                last = progress.receivedBytes
            // An attempt ends or begins. What the one before brought may be told after its end.
            case .state: last = 0
            }
        }
        return fell
    }

    /// 1 or 2, if these are all the bytes of that version.
    static func version(of content: [UInt8]) -> Int? {
        if TestBytes.difference(content, from: bytes) == nil { return 1 }
        return TestBytes.difference(content, from: newer) == nil ? 2 : nil
    }

    private func expectOneVersionKept() throws {
        let kept = try test.bytes("f.part")
        let filled = try Self.filled(in: test.folder.path("f.part"))
        #expect(filled.allSatisfy { $0.upperBound <= kept.count }, "\(name): \(filled) of \(kept.count)")
        let isOneVersion = [Self.bytes, Self.newer].contains { version in
            filled.allSatisfy { TestBytes.difference(kept[$0.clamped(to: kept.indices)], from: version[$0]) == nil }
        }
        #expect(isOneVersion, "\(name): a mixture in \(filled)")
    }

    /// What a partial file says it holds; all of it where it says nothing.
    static func filled(in path: String) throws -> [Range<Int>] {
        var text = [UInt8](repeating: 0, count: 4_096)
        let count = getxattr(path, "user.spate.filled", &text, text.count)
        guard count >= 0 else {
            var found = stat()
            guard errno == ENODATA, stat(path, &found) == 0 else { throw SystemError("getxattr of \(path)") }
            return [0..<Int(found.st_size)]
        }
        return try String(decoding: text[..<count], as: UTF8.self).split(separator: " ").map { range in
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
