import Foundation
import SpateTestSupport
import Testing

@testable import SpateDemo

@Suite(.takesTurns) struct OperationsExampleTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path("out")).sorted() }
    }

    @Test func completeArchivesAreUnpackedAndOthersAreReported() async throws {
        let server = try await DemoURLs()
        let urls = try server.urls("not-there.txt", "photos.tar", "not-an-archive.tar")
        let lines = try await ExampleRun("SpateOperations", ["out"] + urls, in: folder).lines(code: 1)
        #expect(lines.count == 3)
        #expect(lines.first?.hasSuffix("/not-there.txt: 404 Not Found") == true)
        #expect(lines.contains("photos.tar: unpacked in \(folder.path("out/photos.unpacked"))"), "\(lines)")
        #expect(lines.last?.hasPrefix("not-an-archive.tar: tar ended with 2: tar: ") == true)
        #expect(try names == ["not-an-archive.tar", "photos.tar", "photos.unpacked"])
        let photo = DemoContent(seed: 2, size: 65_432).bytes(0..<65_432)
        let unpacked = Array(try Data(contentsOf: folder.url("out/photos.unpacked/photos/2.raw")))
        #expect(TestBytes.difference(unpacked, from: photo) == nil)
    }

    @Test func anInterruptedUnpackingIsRepeated() async throws {
        let server = try await DemoURLs()
        try FileManager.default.createDirectory(
            at: folder.url("out/photos.unpacking"),
            withIntermediateDirectories: true
        )
        try Data([1]).write(to: folder.url("out/photos.unpacking/half"))
        for _ in 1...2 {
            let run = try ExampleRun("SpateOperations", ["out", server.url("photos.tar")], in: folder)
            #expect(try await run.lines(code: 0).count == 1)
            #expect(try names == ["photos.tar", "photos.unpacked"])
            #expect(!FileManager.default.fileExists(atPath: folder.path("out/photos.unpacked/half")))
        }
    }
}
