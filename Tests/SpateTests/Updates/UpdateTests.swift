import CSystem
import Foundation
import Spate
import TestSupport
import Testing

/// Finished files that may have changed on the server.
@Suite(.takesTurns) struct UpdateTests {
    private static let date = Date(timeIntervalSince1970: 1_700_000_000)

    @Test func anUnchangedFileIsNotTouched() async throws {
        let scene = try await UpdateScene()
        let before = try scene.facts()
        let download = scene.update()
        #expect(try await download.ended().get().lastPathComponent == "f")
        #expect(download.update == .unchanged && download.remarks.isEmpty)
        #expect(download.progress.receivedBytes == 300_000 && download.progress.totalBytes == 300_000)
        #expect(scene.requests.map(\.ifNoneMatch) == ["\"v1\""])
        #expect(scene.requests.allSatisfy { $0.range == nil && $0.ifModifiedSince == nil })
        #expect(try scene.facts() == before && scene.isAlone(UpdateScene.old))
    }

    @Test func aChangedFileReplacesTheOldOneByARename() async throws {
        let scene = try await UpdateScene()
        let before = try scene.facts()
        let reader = try FileHandle(forReadingFrom: scene.test.folder.url("f"))
        scene.serve(UpdateScene.new)
        let download = scene.update()
        _ = try await download.ended().get()
        #expect(download.update == .updated && download.progress.receivedBytes == 200_000)
        #expect(scene.requests.map(\.ifNoneMatch) == ["\"v1\""])
        #expect(try scene.isAlone(UpdateScene.new) && scene.facts().inode != before.inode)
        // Who has it open reads on.
        #expect(try reader.readToEnd() == Data(UpdateScene.old.bytes))
        // The next check is about the new one.
        let next = scene.update()
        _ = try await next.ended().get()
        #expect(next.update == .unchanged && scene.requests.map(\.ifNoneMatch) == ["\"v1\"", "\"v2\""])
    }

    @Test func withoutTheCheckAFinishedFileIsTheAnswer() async throws {
        let scene = try await UpdateScene()
        scene.serve(UpdateScene.new)
        let download = scene.test.manager.download(scene.url)
        #expect(download.state.isTerminal && download.update == nil)
        #expect(try scene.requests.isEmpty && scene.isAlone(UpdateScene.old))
    }

    @Test func aFileThatIsNotThereIsFetchedAsUsual() async throws {
        let scene = try await UpdateScene()
        try scene.test.manager.delete(scene.url)
        let download = scene.update()
        _ = try await download.ended().get()
        #expect(download.update == nil && scene.requests.map(\.ifNoneMatch) == [nil])
    }

    /// What the file had, what the request for an update says, and whether that is enough for the server.
    private static let validators: [(file: TestFile, tag: String?, date: String?, isUnchanged: Bool)] = [
        (TestFile("old", etag: "W/\"w\""), "W/\"w\"", nil, true),
        (TestFile("old", etag: "W/\"w\"", lastModified: date), "W/\"w\"", nil, true),
        (TestFile("old", etag: "\"v1\"", lastModified: date), "\"v1\"", nil, true),
        (TestFile("old", lastModified: date), nil, "Tue, 14 Nov 2023 22:13:20 GMT", true),
        (TestFile("old"), nil, nil, false),
        // From the second in which the file was written.
        (TestFile("old", etag: "\"v1\"", lastModified: .distantFuture), nil, nil, false),
        (TestFile("old", etag: "W/\"w\"", lastModified: .distantFuture), nil, nil, false),
        (TestFile("old", lastModified: .distantFuture), nil, nil, false),
    ]

    @Test(arguments: validators.indices) func theValidatorOfTheFinishedFileIsSent(index: Int) async throws {
        let (file, tag, date, isUnchanged) = Self.validators[index]
        let scene = try await UpdateScene(file)
        let download = scene.update()
        _ = try await download.ended().get()
        #expect(scene.requests.map(\.ifNoneMatch) == [tag] && scene.requests.map(\.ifModifiedSince) == [date])
        #expect(try download.update == (isUnchanged ? .unchanged : .updated) && scene.isAlone(file))
    }

    @Test func aFileWithoutAValidatorAsAnEarlierVersionLeftItIsFetchedAgain() async throws {
        let scene = try await UpdateScene()
        #expect(removexattr(scene.test.folder.path("f"), "user.spate.validator") == 0)
        let download = scene.update()
        _ = try await download.ended().get()
        #expect(scene.requests.map(\.ifNoneMatch) == [nil] && download.update == .updated)
        #expect(try scene.isAlone(UpdateScene.old))
    }

    @Test func aServerThatKnowsNoConditionsIsReadOnlyAsFarAsTheHead() async throws {
        let scene = try await UpdateScene()
        scene.serve { _, _ in
            .status(200, fields: ["ETag": "\"v1\""], body: UpdateScene.old.bytes).stalled(after: 1)
        }
        let before = try scene.facts()
        let download = scene.update()
        _ = try await download.ended().get()
        #expect(try download.update == .unchanged && scene.facts() == before)
    }

    @Test func a304ForAnotherFileIsAskedAgainWithoutACondition() async throws {
        let scene = try await UpdateScene()
        scene.serve(UpdateScene.new) { request, reply in
            request.ifNoneMatch == nil ? reply : .status(304, fields: ["ETag": "\"v2\""])
        }
        let download = scene.update()
        _ = try await download.ended().get()
        #expect(scene.requests.map(\.ifNoneMatch) == ["\"v1\"", nil])
        #expect(try download.update == .updated && scene.isAlone(UpdateScene.new))
    }

    @Test func aFileThatWasPutBackToAnOlderOneIsSeenByItsDate() async throws {
        let old = TestFile(UpdateScene.old.bytes, lastModified: Self.date)
        let older = TestFile(UpdateScene.new.bytes, lastModified: Self.date - 60)
        let scene = try await UpdateScene(old)
        scene.serve(older)
        let download = scene.update()
        _ = try await download.ended().get()
        #expect(scene.requests.map(\.ifModifiedSince) == ["Tue, 14 Nov 2023 22:13:20 GMT", nil])
        #expect(try scene.isAlone(older))
    }

    @Test func theConditionGoesAlongWithRedirects() async throws {
        let scene = try await UpdateScene()
        scene.serve { request, reply in request.path == "/f" ? .redirect(to: "/g") : reply }
        let download = scene.update()
        _ = try await download.ended().get()
        #expect(scene.requests.map(\.path) == ["/f", "/g"] && download.update == .unchanged)
        #expect(scene.requests.map(\.ifNoneMatch) == ["\"v1\"", "\"v1\""])
    }

    @Test func aConditionOfTheCallersIsNotSent() async throws {
        let scene = try await UpdateScene()
        let download = scene.update { $0.headers = ["if-none-match": "*", "If-Modified-Since": "never"] }
        _ = try await download.ended().get()
        #expect(scene.requests.map(\.ifNoneMatch) == ["\"v1\""] && scene.requests.map(\.ifModifiedSince) == [nil])
    }

    @Test func aFileThatIsRemovedMeanwhileIsFetched() async throws {
        let scene = try await UpdateScene()
        let gate = try Gate()
        scene.serve { $0.ifNoneMatch == nil ? $1 : $1.heldBack(by: gate) }
        let download = scene.update()
        try await scene.server.waitForRequests(2)
        try FileManager.default.removeItem(at: scene.test.folder.url("f"))
        gate.open()
        _ = try await download.ended().get()
        #expect(try scene.requests.count == 2 && scene.isAlone(UpdateScene.old) && download.update == nil)
    }

    @Test func aChangedFileIsFetchedOverSeveralConnections() async throws {
        let new = TestFile(TestBytes.random(count: 4 << 20, seed: 3), etag: "\"v2\"")
        let scene = try await UpdateScene()
        let gate = try Gate()
        scene.serve(new) { $1.gated(after: 300_000, gate) }
        let download = scene.update { $0.connections = .exactly(3) }
        try await gate.reached(times: 3)
        gate.open()
        _ = try await download.ended().get()
        #expect(scene.requests.count > 1 && scene.requests.dropFirst().allSatisfy { $0.ifRange == "\"v2\"" })
        #expect(scene.requests.map(\.ifNoneMatch).compactMap(\.self) == ["\"v1\""])
        #expect(try scene.isAlone(new) && download.update == .updated)
    }

    @Test func aRequestIsPreparedBeforeItAsks() async throws {
        let scene = try await UpdateScene { configuration in
            configuration.prepare = { request, _ in
                var request = request
                request.headers["X-Token"] = "fresh"
                return request
            }
        }
        let download = scene.update()
        _ = try await download.ended().get()
        #expect(scene.requests.map { $0.fields["X-Token"] } == ["fresh"] && download.update == .unchanged)
    }
}
