import Foundation
import HTTPSyntax
import Testing

@testable import Spate

@Suite struct DownloadTableTests {
    private let test: SilentManager

    init() throws {
        test = try SilentManager()
    }

    private func key(_ name: String) throws -> HTTPURL { try HTTPURL("http://host.test/\(name)") }

    private var folder: String { test.manager.configuration.directory.path }

    private func newDownload(_ request: ValidRequest, serial: UInt64) -> Download {
        let url = URL(string: request.url.text) ?? test.url("a")
        return Download(DownloadRequest(url), request, serial: serial, manager: test.manager)
    }

    private func operation() throws -> DownloadOperation {
        let request = try ValidRequest(DownloadRequest(test.url("a")), in: test.manager.validConfiguration)
        return DownloadOperation(1, at: newDownload(request, serial: 0), of: test.manager, host: .none)
    }

    /// Enters a download of this name, which must be a new one.
    private func enter(_ name: String, into table: inout DownloadTable) throws -> Download {
        let request = try ValidRequest(DownloadRequest(test.url(name)), in: test.manager.validConfiguration)
        var made: Download?
        let (download, isNew) = table.enter(request) { serial in
            let download = newDownload(request, serial: serial)
            made = download
            return download
        }
        #expect(isNew && download === made)
        return download
    }

    @Test func anOldDownloadDoesNotEvictItsSuccessorNorItsName() throws {
        var table = DownloadTable()
        let old = try enter("a", into: &table)
        table.remove(old)
        #expect(table.download(try key("a")) == nil && table.isEmpty)
        let new = try enter("a", into: &table)
        table.remove(old)
        #expect(table.download(try key("a")) === new)
        #expect(table.isTaken("a", in: folder, from: try key("b")))
    }

    @Test func anAttemptThatOutlivesItsDownloadKeepsNoNameWhenItEnds() throws {
        var table = DownloadTable()
        let download = try enter("a", into: &table)
        let operation = try operation()
        table.setHolder(operation, of: try key("a"))
        table.remove(download)
        #expect(!table.isTaken("a", in: folder, from: try key("b")))
        // It opens its file when nobody wants it any more.
        #expect(table.claim("a", in: folder, for: try key("a")) == true)
        table.removeHolder(operation, of: try key("a"))
        #expect(!table.isTaken("a", in: folder, from: try key("b")) && table.isEmpty)
    }

    @Test func theHolderOfAFileIsKnownUntilItHasClosedIt() throws {
        var table = DownloadTable()
        let download = try enter("a", into: &table)
        #expect(table.holder(of: download) == nil)
        let (first, second) = (try operation(), try operation())
        table.setHolder(first, of: try key("a"))
        #expect(table.holder(of: download) === first && table.holders.count == 1)
        table.setHolder(second, of: try key("a"))
        table.removeHolder(first, of: try key("a"))
        #expect(table.holder(of: download) === second, "the end of an old attempt frees no file of another")
        table.removeHolder(second, of: try key("a"))
        #expect(table.holder(of: download) == nil && table.holders.count == 0)
    }
}
