import Foundation
import Spate
import SpateTestSupport
import Testing

@Suite(.takesTurns) struct FailureTests {
    /// Which requests are refused is in `ValidRequestTests`.
    @Test func aRequestThatCannotBeMetTouchesNothing() async throws {
        let test = try TestManager()
        var request = DownloadRequest(URL(filePath: "/etc/passwd"))
        request.directory = test.folder.url("new")
        let heard = Recorder<DownloadError.Code?>()
        let download = test.manager.download(request, completion: { heard.append($0.error?.code) })
        #expect(download.state.isTerminal)
        #expect(try await heard.wait(forCount: 1) == [.unsupportedScheme])
        #expect(test.names.isEmpty && test.manager.downloads.isEmpty)
    }

    @Test func aFolderThatCannotBeMadeIsAnError() async throws {
        let server = try TestServer { .file([1], for: $0) }
        let test = try TestManager()
        try Data().write(to: test.folder.url("file"))
        var request = DownloadRequest(server.url("/f"))
        request.directory = test.folder.url("file/folder")
        let error = try #require(try await test.manager.download(request).ended().error)
        #expect(error.code == .fileSystem && error.message.contains("/file: it is a file, not a folder"))
        #expect(server.requests.isEmpty)
    }
}
