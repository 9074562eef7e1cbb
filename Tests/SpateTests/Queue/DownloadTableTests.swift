import Foundation
import SpateFilePaths
import SpateHTTPSyntax
import SpatePartialFiles
import Testing

@testable import Spate

@Suite struct DownloadTableTests {
    private let test: SilentManager

    init() throws {
        test = try SilentManager()
    }

    private func key(_ name: String) throws -> HTTPURL { try HTTPURL("http://host.test/\(name)") }

    private var folder: FilePath { FilePath(test.manager.configuration.directory.path) }

    private func operation(of download: Download) -> DownloadOperation {
        DownloadOperation(1, at: download, of: test.manager, host: .none)
    }

    /// Enters a download of this name, which must be a new one.
    private func enter(_ name: String, into table: inout DownloadTable) throws -> Download {
        let request = try ValidRequest(DownloadRequest(test.url(name)), in: test.manager.validConfiguration)
        var made: Download?
        let (download, isNew) = table.enter(request) { serial, index in
            let url = DownloadRequest(test.url(name))
            let download = Download(url, request, serial: serial, index: index, manager: test.manager)
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
        let operation = operation(of: download)
        table.setHolder(operation)
        table.remove(download)
        #expect(!table.isTaken("a", in: folder, from: try key("b")))
        // It opens its file when nobody wants it any more.
        #expect(table.claim("a", in: folder, for: download) == true)
        table.removeHolder(operation)
        #expect(!table.isTaken("a", in: folder, from: try key("b")) && table.isEmpty)
    }

    @Test func theHolderOfAFileIsKnownUntilItHasClosedIt() throws {
        var table = DownloadTable()
        let download = try enter("a", into: &table)
        #expect(table.holder(of: download) == nil)
        let (first, second) = (operation(of: download), operation(of: download))
        table.setHolder(first)
        #expect(table.holder(of: download) === first && table.holders.count == 1)
        table.setHolder(second)
        table.removeHolder(first)
        #expect(table.holder(of: download) === second, "the end of an old attempt frees no file of another")
        table.removeHolder(second)
        #expect(table.holder(of: download) == nil && table.holders.count == 0)
    }
}
