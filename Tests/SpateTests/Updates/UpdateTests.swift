import Foundation
import Spate
import SpateTestSupport
import Testing

/// Finished files that may have changed on the server.
@Suite(.takesTurns) struct UpdateTests {
    private static let date = Date(timeIntervalSince1970: 1_700_000_000)

    /// What a server answers that has the same file, what the caller adds, and where it is asked.
    private static let unchanged: [(answer: UpdateScene.Answer, headers: [String: String], paths: [String])] = [
        ({ $1 }, [:], ["/f"]),
        ({ $0.path == "/f" ? .redirect(to: "/g") : $1 }, [:], ["/f", "/g"]),
        // It knows no conditions, and is read only as far as the head.
        (
            { _, _ in .status(200, fields: ["ETag": "\"v1\""], body: UpdateScene.old.bytes).stalled(after: 1) },
            [:], ["/f"]
        ),
        // A condition of the caller's is not sent.
        ({ $1 }, ["if-none-match": "*", "If-Modified-Since": "never"], ["/f"]),
    ]

    @Test(arguments: unchanged.indices) func anUnchangedFileIsNotTouched(index: Int) async throws {
        let (answer, headers, paths) = Self.unchanged[index]
        let scene = try await UpdateScene()
        let before = try scene.facts()
        scene.serve(nil, answer)
        let download = scene.update { $0.headers = headers }
        #expect(try await download.ended().get().lastPathComponent == "f")
        #expect(download.update == .unchanged && download.remarks.isEmpty)
        #expect(download.progress.receivedBytes == 300_000 && download.progress.totalBytes == 300_000)
        #expect(scene.requests.map(\.path) == paths)
        for request in scene.requests {
            #expect(request.ifNoneMatch == "\"v1\"" && request.range == nil && request.ifModifiedSince == nil)
        }
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

    /// Others are in `UpdateRuleTests`.
    ///
    /// What the file had, what the request for an update says, and whether that is enough for the server.
    private static let validators: [(file: TestFile, tag: String?, date: String?, isUnchanged: Bool)] = [
        (TestFile("old", etag: "W/\"w\"", lastModified: date), "W/\"w\"", nil, true),
        (TestFile("old", lastModified: date), nil, "Tue, 14 Nov 2023 22:13:20 GMT", true),
        (TestFile("old"), nil, nil, false),
        // From the second in which the file was written.
        (TestFile("old", etag: "\"v1\"", lastModified: .distantFuture), nil, nil, false),
    ]

    @Test(arguments: validators.indices) func theValidatorOfTheFinishedFileIsSent(index: Int) async throws {
        let (file, tag, date, isUnchanged) = Self.validators[index]
        let scene = try await UpdateScene(file)
        let download = scene.update()
        _ = try await download.ended().get()
        #expect(scene.requests.map(\.ifNoneMatch) == [tag] && scene.requests.map(\.ifModifiedSince) == [date])
        #expect(try download.update == (isUnchanged ? .unchanged : .updated) && scene.isAlone(file))
    }
}
