import Foundation
import Spate
import SpateFilePaths
import Testing

@testable import SpateProgram

/// The table of `spate status`, from contents that no server has to make.
@Suite struct StatusTableTests {
    private func stored(
        _ name: String,
        _ received: Int64,
        of total: Int64?,
        isFinished: Bool = false,
        isInUse: Bool = false
    )
        throws -> StoredDownload
    {
        var object: [String: Any] = [
            "url": "https://host/\(name)", "file": "file:///folder/\(name)", "receivedBytes": received,
            "isFinished": isFinished, "isInUse": isInUse,
        ]
        object["totalBytes"] = total
        return try JSONDecoder().decode(StoredDownload.self, from: JSONSerialization.data(withJSONObject: object))
    }

    private func waiting(_ count: Int, bytes: Int64? = nil) throws -> [DownloadRequest] {
        try (0..<count).map {
            var request = DownloadRequest(try #require(URL(string: "https://host/w\($0)")))
            request.expectedBytes = bytes
            return request
        }
    }

    private func table(_ stored: [StoredDownload], _ waiting: [DownloadRequest] = []) -> StatusTable {
        let content = FolderContent(stored: stored, waiting: waiting, failures: [])
        return StatusTable(
            content: content,
            paths: FolderPaths(of: DownloadManager(directory: URL(filePath: "/folder")))
        )
    }

    private func lines(_ table: StatusTable, width: Int, all: Bool = false) -> [String] {
        var lines: [String] = []
        #expect(
            table.write(width: width, showsAll: all) {
                lines.append($0)
                return true
            }
        )
        return lines
    }

    @Test func theSummarySaysNoMoreThanIsKnown() throws {
        let done = try stored("a", 3_000, of: 3_000, isFinished: true)
        let unsized = try stored("b", 2_000, of: nil, isFinished: true)
        let known = try stored("c", 1_000, of: 4_000)
        let unknown = try stored("d", 500, of: nil, isInUse: true)
        #expect(table([done]).summary.text == "1 finished; 3 kB")
        #expect(table([done, unsized]).summary.text == "2 finished; 5 kB")
        #expect(table([done, known]).summary.text == "1 finished, 1 partial; 4 kB of 7 kB")
        #expect(table([unknown]).summary.text == "1 running; 500 B so far")
        #expect(table([unknown, known]).summary.text == "1 running, 1 partial; 1.5 kB of at least 4.5 kB")
        #expect(try table([done], waiting(2, bytes: 500)).summary.text == "1 finished, 2 waiting; 3 kB of 4 kB")
        #expect(try table([done], waiting(2)).summary.text == "1 finished, 2 waiting; 3 kB so far")
        #expect(try table([], waiting(2)).summary.text == "2 waiting")
    }

    @Test func sizesThatNobodyCanHaveDoNotEndTheProgram() throws {
        let huge = try stored("a", .max, of: .max)
        #expect(table([huge, huge]).summary.text.hasPrefix("2 partial; 9.2 EB"))
        let strange = try stored("b", -5, of: -1)
        #expect(table([strange]).summary.text == "1 partial; 0 B")
        #expect(lines(table([huge, strange]), width: 80).count == 3)
    }

    /// Most are known without a look at the disk.
    @Test func aWaitingFileHasThePathThatTheManagerGives() throws {
        let manager = DownloadManager(directory: URL(filePath: "/folder"))
        let urls = [
            "http://host/a/b/c", "https://host:8080/a/B-1_2.d/c", "http://HOST/a/c", "http://host:80/a/c",
            "http://host/c",
            "https://host:443/a/c", "https://host:80/a/c", "http://host/a%2Fb/%41/c?d/e", "http://host/.a/..b/c",
            "http://host/a//b/c", "http://host/a.part/b/c", "http://host/\(String(repeating: "x", count: 300))/c",
            "http://host/a/../b/c", "http://host/é/c", "http://host/a+b/c", "http://host/a/", "http://host",
            "http://host/a:b/c",
        ]
        for url in urls {
            for placement in [DownloadPlacement.folder] + [0, 1, 2, 9].map(DownloadPlacement.urlFolders) {
                var request = try DownloadRequest(text: url)
                request.placement = placement
                #expect(FolderPaths(of: manager).file(of: request).text == manager.fileURL(for: request).path)
                request.directory = URL(filePath: "/other")
                request.fileName = "name"
                #expect(FolderPaths(of: manager).file(of: request).text == manager.fileURL(for: request).path)
            }
        }
    }

    @Test func rowsFitAnyWidthAndKeepTheEndsOfNames() throws {
        let long = String(repeating: "文件", count: 40) + "x.tar.gz"
        let rows = try [stored(long, 1_000, of: 4_000), stored("b.iso", 1, of: 2, isInUse: true)]
        for width in 8...200 {
            let rows = lines(table(rows), width: width).dropFirst()
            for row in rows { #expect(columns(of: row) < width, "\(width)") }
            if width > 30 { #expect(rows.last?.contains("gz") == true, "\(width)") }
        }
        // The name leaves room for the URL, and gives way to it and to the amount only where there is much.
        #expect(lines(table(rows), width: 100).last?.contains(/gz {2,3}https:/) == true)
        #expect(lines(table(rows), width: 30).last?.contains("kB") == false)
        // Wide enough for everything.
        let url = try #require(URL(string: "https://host/\(long)")).absoluteString
        #expect(lines(table(rows), width: 2_000).last?.hasSuffix("  \(long)  \(url)") == true)
    }

    /// The test's own count: each of these characters has two columns.
    private func columns(of text: String) -> Int { text.count + text.count { "文件".contains($0) } }

    @Test func aLongQueueTakesFewLinesAndWritingCanEnd() throws {
        let table = try table([], waiting(100_000))
        #expect(lines(table, width: 80).count == 7)
        var written = 0
        let ended = table.write { _ in
            written += 1
            return written < 3
        }
        #expect(!ended && written == 3)
    }
}
