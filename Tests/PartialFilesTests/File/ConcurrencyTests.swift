import Glibc
import HTTPResumption
import HTTPSyntax
import Locking
import PartialFiles
import TestSupport
import Testing

@Suite(.takesTurns) struct ConcurrencyTests {
    @Test func aSyncMayRunWhileBytesAreWritten() async throws {
        let folder = try DownloadFolder()
        let file = try folder.directory.partial(of: try url("http://host/x.zip"))
        let block = TestBytes.random(count: 16_384)
        try file.begin(total: 200 * 16_384, validator: nil, encoding: nil)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for number in 0..<Int64(200) {
                    _ = try block.withUnsafeBytes { bytes in try file.write(bytes, at: number * 16_384) }
                }
            }
            group.addTask {
                for _ in 0..<20 { try file.sync() }
            }
            try await group.waitForAll()
        }
        #expect(file.durable.front <= 200 * 16_384)
        for number in 0..<Int64(200) { #expect(try file.matches(block, at: number * 16_384)) }
    }

    @Test func downloadsThatWantOneNameAtOnceAllGetTheirOwn() async throws {
        let folder = try DownloadFolder()
        let claims = Locked<[String: String]>([:])
        let origins = try (0..<16).map { try url("http://host\($0)/x.tar.gz") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for origin in origins {
                group.addTask {
                    let opening = try folder.directory.open(for: origin, naming: .derived) { name in
                        claims.withLock { claims in
                            let owner = claims[name, default: origin.text]
                            claims[name] = owner
                            return owner != origin.text
                        }
                    }
                    let file = try opening.partial
                    try file.append(origin.text)
                    try file.finish()
                }
            }
            try await group.waitForAll()
        }
        #expect(try folder.names.count == 16)
        for origin in origins {
            let file = try #require(try folder.directory.finishedFile(of: origin, naming: .derived))
            #expect(try folder.read(file.name) == origin.text)
        }
    }

    @Test(arguments: RecordKeeping.allCases)
    func onlyOneOfManyGetsAFileAndTheOthersFail(keeping: RecordKeeping) async throws {
        let folder = try DownloadFolder(keeping)
        let origin = try url("http://host/x.zip")
        let outcomes = await withTaskGroup(of: Result<PartialFile, any Error>.self) { group in
            for _ in 0..<8 {
                group.addTask { Result { try folder.seen(keeping).begun(origin, "1") } }
            }
            var outcomes: [Result<PartialFile, any Error>] = []
            for await outcome in group { outcomes.append(outcome) }
            return outcomes
        }
        #expect(outcomes.filter { (try? $0.get()) != nil }.count == 1)
        for case .failure(let error) in outcomes {
            #expect((error as? FileSystemError)?.kind == .inUse, "\(error)")
        }
    }

    @Test func aListingDoesNotDisturbTheOpeningOfAFile() async throws {
        let folder = try DownloadFolder()
        let origin = try url("http://host/x.zip")
        try folder.directory.partial(of: origin).begin(total: 5, validator: nil, encoding: nil)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for _ in 0..<300 { _ = try folder.directory.contents() }
            }
            group.addTask {
                for _ in 0..<300 { try folder.seen().partial(of: origin).close() }
            }
            try await group.waitForAll()
        }
    }

    @Test func noDescriptorIsLeftOver() throws {
        let folder = try DownloadFolder()
        let origin = try url("http://host/x.zip")
        func ours() throws -> Int {
            try ProcessProbe().descriptors.values.filter { $0.hasPrefix(folder.path) }.count
        }
        for _ in 0..<20 {
            try folder.directory.fetch(origin, "12345")
            _ = try folder.directory.contents()
            try folder.directory.delete(origin, naming: .derived)
            _ = try? folder.directory.partial(of: origin).delete()
            mkfifo(folder.path("x.zip.part"), 0o600)
            _ = try folder.directory.partial(of: origin).delete()
            unlink(folder.path("x.zip.part"))
        }
        // The folder.
        #expect(try ours() == 1)
    }
}
