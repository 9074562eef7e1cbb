import Foundation
import Spate
import TestSupport
import Testing

/// A server that knows no conditions answers the question whether a finished file has changed.
@Suite(.takesTurns) struct UpdatedEntityTests {
    private static let date = Date(timeIntervalSince1970: 1_700_000_000)
    private static let new = TestBytes.random(count: UpdateScene.old.bytes.count, seed: 3)

    /// Of the same date and size: rule 104 of ResumptionRules.md.
    @Test(arguments: ["W/\"bbb\"", "\"bbb\"", "\"aaa\""])
    func aFileWithAnotherTagIsFetchedWhateverItsDate(tag: String) async throws {
        let old = TestFile(UpdateScene.old.bytes, etag: "W/\"aaa\"", lastModified: Self.date)
        let scene = try await UpdateScene(old)
        scene.serve { _, _ in
            .status(200, fields: ["ETag": tag, "Last-Modified": Self.date.httpText], body: Self.new)
        }
        let update = scene.update()
        _ = try await update.ended().get()
        #expect(update.update == .updated)
        #expect(TestBytes.difference(try scene.test.bytes("f"), from: Self.new) == nil)
    }

    /// Rule 106 of ResumptionRules.md.
    @Test func aPageInPlaceOfAnUpdateLeavesTheFileAsItIs() async throws {
        let scene = try await UpdateScene()
        scene.serve { _, _ in .status(200, fields: ["Content-Type": "text/html"], body: "<html>Please sign in.</html>")
        }
        let error = try #require(try await scene.update().ended().error)
        #expect(error.code == .badResponse && error.isRetryable && scene.test.names == ["f"])
        #expect(TestBytes.difference(try scene.test.bytes("f"), from: UpdateScene.old.bytes) == nil)
    }
}
