import Foundation
import Spate
import TestSupport
import Testing

/// What stands where a sidecar is to be written, on a file system without attributes (RESUMPTION.md 65).
@Suite(.enabled(if: TemporaryMount.isPossible, "mounting a file system without attributes needs root"))
struct SidecarOccupiedTests {
    private static let content = TestBytes.random(count: 200_000)

    /// Where the record is written, and where it ends by rename.
    static let places = [".f.part.spate", ".f.part.spate.tmp", ".f.spate", ".f.spate.tmp"]

    @Test(arguments: Obstacle.allCases, places)
    func whatStandsWhereTheRecordIsWrittenIsNeverFollowed(obstacle: Obstacle, place: String) async throws {
        let mount = try TemporaryMount(.ramfs)
        let stranger = try StrangersFolder()
        // A hard link from another file system is none.
        guard obstacle.put(at: mount.path(place), belonging: stranger) else {
            #expect(obstacle == .hardLink)
            return
        }
        let server = try TestServer { request in
            let right = Reply.file(Self.content, etag: "\"v1\"", for: request)
            return request.sequence == 1 ? right.cut(after: 100_000) : right
        }
        let test = try TestManager { $0.directory = URL(filePath: mount.path, directoryHint: .isDirectory) }
        switch try await test.manager.download(server.url("/f")).ended() {
        case .success(let file):
            #expect(TestBytes.difference(try Data(contentsOf: file), from: Self.content) == nil)
        case .failure(let error):
            // Where the record cannot be kept, that is said, and nothing is at the final path.
            let isTold = [.fileSystem, .fileExists].contains(error.code) && error.message.contains(place)
            #expect(isTold, "\(error)")
            #expect(!FileManager.default.fileExists(atPath: mount.path("f")))
        }
        #expect(try stranger.isUntouched)
    }
}
