import Foundation
import Spate
import SpateLocking
import SpateTestSupport
import Testing

/// Finished files whose servers are asked whether they still have them.
@Suite(.takesTurns) struct OnlineVerificationTests {
    private static let date = Date(timeIntervalSince1970: 1_700_000_000)
    /// The SHA-256 of "abc".
    private static let sum = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    /// The results for all files of a manager's folder.
    private func results(
        of manager: DownloadManager,
        _ change: (inout VerificationOptions) -> Void = { _ in }
    ) async throws -> [VerificationResult] {
        var options = VerificationOptions()
        options.onlineRequest = { DownloadRequest($0) }
        change(&options)
        let stream = manager.verify(options)
        return try await withDeadline {
            var results: [VerificationResult] = []
            for await (_, result) in stream { results.append(result) }
            return results
        }
    }

    private func result(of scene: UpdateScene) async throws -> VerificationResult {
        let results = try await results(of: scene.test.manager)
        #expect(results.count == 1)
        return try #require(results.first)
    }

    @Test func aFileThatItsServerStillHasIsCurrent() async throws {
        let scene = try await UpdateScene()
        let before = try scene.facts()
        let result = try await result(of: scene)
        #expect(result.state == .sizeOnly && result.isCurrent == true && !result.isBad && result.repair == nil)
        #expect(scene.requests.map(\.ifNoneMatch) == ["\"v1\""] && scene.requests.map(\.range) == [nil])
        #expect(try scene.facts() == before && scene.isAlone(UpdateScene.old))
        // Nobody has enqueued anything.
        #expect(scene.test.manager.downloads.isEmpty)
    }

    @Test func anotherVersionIsToldAndFetchedOnlyByTheRepair() async throws {
        let scene = try await UpdateScene()
        let before = try scene.facts()
        scene.serve(UpdateScene.new)
        let result = try await result(of: scene)
        #expect(result.state == .outdated && result.isCurrent == false && result.error?.code == .outdated)
        #expect(result.url == scene.url && result.size == 300_000 && scene.requests.count == 1)
        #expect(try scene.facts() == before && scene.isAlone(UpdateScene.old))
        let repair = try #require(result.repair)
        _ = try await scene.test.manager.download(repair).ended().get()
        #expect(try scene.isAlone(UpdateScene.new))
        #expect(try await self.result(of: scene).isCurrent == true)
    }

    private struct Case: Sendable {
        var file = UpdateScene.old
        var serves: TestFile?
        var answer: UpdateScene.Answer = { $1 }
        let state: VerificationResult.State
        var isCurrent: Bool?
        var status: Int?
    }

    private static let answers: [String: Case] = [
        "a weak tag": Case(file: TestFile("old", etag: "W/\"w\""), state: .sizeOnly, isCurrent: true),
        "a date": Case(file: TestFile("old", lastModified: date), state: .sizeOnly, isCurrent: true),
        "a server without conditions": Case(
            answer: { _, _ in .status(200, fields: ["ETag": "\"v1\""], body: UpdateScene.old.bytes).stalled(after: 1) },
            state: .sizeOnly,
            isCurrent: true
        ),
        "a weak tag without conditions": Case(
            file: TestFile("old", etag: "W/\"w\""),
            answer: { _, _ in .status(200, fields: ["ETag": "W/\"w\""], body: "old") },
            state: .sizeOnly,
            isCurrent: true
        ),
        "nothing that proves anything": Case(file: TestFile("old"), state: .sizeOnly),
        "a tag that is not sent again": Case(
            answer: { _, _ in .status(200, body: UpdateScene.old.bytes) },
            state: .sizeOnly
        ),
        "another size": Case(
            file: TestFile("old"),
            serves: TestFile("older"),
            state: .outdated,
            isCurrent: false
        ),
        "the same size and another date": Case(
            file: TestFile("old", lastModified: date),
            serves: TestFile("new", lastModified: date + 100),
            state: .outdated,
            isCurrent: false
        ),
        "a 304 of another file": Case(
            serves: UpdateScene.new,
            answer: { $0.ifNoneMatch == nil ? $1 : .status(304, fields: ["ETag": "\"v0\""], body: "") },
            state: .outdated,
            isCurrent: false
        ),
        "a redirect": Case(
            answer: { $0.path == "/f" ? .redirect(to: "/g") : $1 },
            state: .sizeOnly,
            isCurrent: true
        ),
        "no file": Case(answer: { _, _ in .status(404) }, state: .failed, status: 404),
        "a page": Case(
            answer: { _, _ in .status(200, fields: ["Content-Type": "text/html"], body: "<html>log in") },
            state: .failed
        ),
    ]

    @Test(arguments: answers.keys.sorted()) func whatTheServerSaysDecides(name: String) async throws {
        let example = try #require(Self.answers[name])
        let scene = try await UpdateScene(example.file)
        let before = try scene.facts()
        scene.serve(example.serves, example.answer)
        let result = try await result(of: scene)
        #expect(result.state == example.state && result.isCurrent == example.isCurrent)
        #expect(result.isBad == [.outdated, .failed].contains(example.state))
        #expect(result.error?.statusCode == example.status && (result.repair != nil) == (example.state == .outdated))
        #expect(try scene.facts() == before && scene.isAlone(example.file))
    }

    /// Whoever gave a checksum wants those bytes.
    @Test func aFileWithAGivenChecksumIsNotReplacedByAnotherVersion() async throws {
        let old = TestFile("abc", etag: "\"v1\"")
        let sum = try Checksum(Self.sum)
        for isRemembered in [true, false] {
            let scene = try await UpdateScene(old)
            if isRemembered {
                try scene.test.manager.delete(scene.url)
                let request = DownloadRequest(scene.url, checksum: sum)
                _ = try await scene.test.manager.download(request).ended().get()
            }
            scene.serve(UpdateScene.new)
            let results = try await results(of: scene.test.manager) { options in
                if !isRemembered { options.checksums = ["f": sum] }
            }
            let result = try #require(results.first)
            #expect(result.state == .outdated && result.repair == nil)
            #expect(result.checksum == sum && result.expectedChecksum == sum)
        }
    }

    @Test func onlyWholeFilesAreAskedAbout() async throws {
        let server = try TestServer { request in
            let reply = Reply.file(TestFile("abc", etag: "\"v1\""), for: request)
            return request.path == "/part" ? reply.cut(after: 1) : reply
        }
        let test = try TestManager { $0.retry.maxRetriesWithoutProgress = 0 }
        for name in ["damaged", "changed", "part"] {
            var request = DownloadRequest(server.url("/\(name)"))
            if name == "damaged" { request.checksum = try Checksum(Self.sum) }
            _ = try await test.manager.download(request).ended()
        }
        try test.write(Array("x".utf8), to: "damaged", at: 1)
        try test.write(Array("x".utf8), to: "changed")
        try Data("abc".utf8).write(to: test.folder.url("stranger"))
        let (names, count) = (test.names, server.requests.count)
        let results = try await results(of: test.manager)
        #expect(results.map(\.state) == [.changed, .damaged, .partial])
        #expect(server.requests.count == count && test.names == names)
    }

    /// Both have a part of their own, and neither touches the other's.
    @Test func aPausedUpdateStaysAsItIs() async throws {
        let scene = try await UpdateScene()
        let gate = try Gate()
        scene.serve(UpdateScene.new) { $1.gated(after: 100_000, gate) }
        let update = scene.update()
        try await eventually("bytes of the new file have come") { update.progress.receivedBytes >= 100_000 }
        update.pause()
        try await scene.test.filesAreClosed()
        let names = scene.test.names
        #expect(names == ["f", "f.part"])
        scene.serve(UpdateScene.new)
        let results = try await results(of: scene.test.manager)
        #expect(results.map(\.state) == [.outdated, .partial])
        #expect(scene.test.names == names)
        update.resume()
        _ = try await update.ended().get()
        #expect(scene.requests.last?.range != nil)
        #expect(try scene.isAlone(UpdateScene.new))
        gate.open()
    }

    /// The settings of the manager and the headers of the closure count, and what else it says does not.
    @Test func theRequestIsPreparedAndHasTheClosuresHeaders() async throws {
        let server = try TestServer { .file(TestFile("abc", etag: "\"v1\""), for: $0) }
        let signed = server.url("/signed")
        let test = try TestManager { configuration in
            configuration.prepare = { request, attempt in
                var request = request
                if attempt.number == 1, request.headers["X-Asked"] != nil { request.url = signed }
                return request
            }
        }
        var request = DownloadRequest(server.url("/f"), fileName: "named")
        request.placement = .urlFolders(cutting: 0)
        _ = try await test.manager.download(request).ended().get()
        let results = try await results(of: test.manager) { options in
            options.onlineRequest = { url in
                var request = DownloadRequest(url, fileName: "other", headers: ["X-Asked": "yes"])
                (request.maximumBytes, request.replacesExistingFile) = (1, true)
                return request
            }
        }
        #expect(results.map(\.isCurrent) == [true])
        let asked = try #require(server.requests.last)
        #expect(asked.path == "/signed" && asked.fields["X-Asked"] == "yes" && asked.ifNoneMatch == "\"v1\"")
        #expect(test.names.count == 1)
    }

    @Test func aNameThatTheServerGaveIsFound() async throws {
        let server = try TestServer {
            .file(TestFile("abc", etag: "\"v1\""), for: $0)
                .addingField("Content-Disposition", "attachment; filename=\"report.zip\"")
        }
        let test = try TestManager()
        var request = DownloadRequest(server.url("/download?id=1"))
        request.naming = .server
        _ = try await test.manager.download(request).ended().get()
        #expect(try await results(of: test.manager).map(\.isCurrent) == [true])
        #expect(test.names == ["report.zip"] && server.requests.count == 2)
    }

    /// A URL may have several finished files, of different versions.
    @Test func eachFileOfAURLIsAskedAboutByItself() async throws {
        let scene = try await UpdateScene()
        scene.serve(UpdateScene.new)
        _ = try await scene.test.manager.download(DownloadRequest(scene.url, fileName: "a")).ended().get()
        let copy = scene.test.folder.url("f-copy")
        try FileManager.default.moveItem(at: scene.test.folder.url("f"), to: copy)
        _ = try await scene.test.manager.download(scene.url).ended().get()
        #expect(scene.test.names == ["a", "f", "f-copy"])
        let results = try await results(of: scene.test.manager)
        #expect(results.map(\.isCurrent) == [true, true, false])
    }

    @Test func aFileThatIsDeletedMeanwhileIsToldAsGone() async throws {
        let scene = try await UpdateScene()
        let file = scene.test.folder.url("f")
        scene.serve { _, reply in
            try? FileManager.default.removeItem(at: file)
            return reply
        }
        let result = try await result(of: scene)
        #expect(result.state == .failed && result.error?.code == .fileSystem && scene.test.names.isEmpty)
    }

    /// Of a hundred files, and with two slots.
    @Test func fewQuestionsAreOpenAtATimeAndNoneOnceTheReaderHasLeft() async throws {
        let (file, gate) = (TestFile("abc", etag: "\"v1\""), try Gate())
        let open = Locked(false)
        let server = try TestServer { request in
            let reply = Reply.file(file, for: request)
            return open.withLock { $0 } ? reply.heldBack(by: gate) : reply
        }
        let test = try TestManager { $0.maxConcurrentDownloads = 2 }
        for download in test.manager.download((0..<100).map { server.url("/f\($0)") }) {
            _ = try await download.ended().get()
        }
        open.withLock { $0 = true }
        let stream = {
            var options = VerificationOptions()
            options.onlineRequest = { DownloadRequest($0) }
            return test.manager.verify(options)
        }()
        let reading = Task {
            var count = 0
            for await _ in stream { count += 1 }
            return count
        }
        try await eventually("two questions are open") { server.requests.count == 102 }
        reading.cancel()
        #expect(await reading.value == 0)
        gate.open()
        try await Task.sleep(for: .milliseconds(50))
        #expect(server.requests.count == 102)
    }

    /// Each was still being made when the reader left.
    @Test func aQuestionThatComesAfterTheReaderHasLeftIsNotSent() async throws {
        let count = 24
        let file = TestFile("abc", etag: "\"v1\"")
        let server = try TestServer { Reply.file(file, for: $0) }
        let test = try TestManager { $0.maxConcurrentDownloads = count }
        for download in test.manager.download((0..<count).map { server.url("/f\($0)") }) {
            _ = try await download.ended().get()
        }
        let made = Locked(0)
        let (mayBeAsked, isAsked) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let stream = {
            var options = VerificationOptions()
            options.maxConcurrentFiles = count
            options.onlineRequest = { url in
                made.withLock { $0 += 1 }
                mayBeAsked.wait()
                defer { isAsked.signal() }
                return DownloadRequest(url)
            }
            return test.manager.verify(options)
        }()
        let reading = Task { for await _ in stream { Issue.record("a result without an answer") } }
        try await eventually("all questions are being made") { made.withLock { $0 } == count }
        reading.cancel()
        await reading.value
        for _ in 0..<count { mayBeAsked.signal() }
        for _ in 0..<count { isAsked.wait() }
        try await Task.sleep(for: .milliseconds(100))
        #expect(server.requests.count == count)
    }
}
