import Foundation
import Spate
import TestSupport
import Testing

@Suite struct ManyDownloadsTests {
    @Test func aHundredFilesGoThroughThreePlaces() async throws {
        let server = try TestServer { request in
            .file(TestBytes.random(count: 20_000, seed: UInt64(request.path.dropFirst(2)) ?? 0), for: request)
        }
        let test = try TestManager()
        let downloads = test.manager.download((0..<100).map { server.url("/f\($0)") })
        for (index, download) in downloads.enumerated() {
            let file = try await download.ended().get()
            #expect(file == test.folder.url("f\(index)"))
            #expect(try test.bytes("f\(index)") == TestBytes.random(count: 20_000, seed: UInt64(index)))
        }
        #expect(server.mostAtOnce <= 3 && server.requests.count == 100)
        #expect(test.names.count == 100)
        #expect(test.manager.downloads.isEmpty)
    }
}
