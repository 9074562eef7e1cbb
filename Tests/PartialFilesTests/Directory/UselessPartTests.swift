import Glibc
import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPResumption
import SpatePartialFiles
import SpateTestSupport
import Testing

/// Of several processes with one list, one finishes a file, and another that has begun it is killed.
@Suite(.takesTurns) struct UselessPartTests {
    /// A finished file, and a partial file that another process has begun before. Closing it stands for a kill.
    private func finish(
        in folder: DownloadFolder,
        besides total: Int64 = 5,
        tag: String = "\"v1\""
    ) throws -> PartialFile {
        let second = try folder.seen(folder.keeping) { $0.openUnnamed = { _ in failing(EOPNOTSUPP) } }.partial()
        try second.begin(total: total, validator: .etag(tag), encoding: nil)
        try second.append("12")
        let other = try DownloadFolder(folder.keeping)
        try other.directory.fetch("12345")
        for name in try other.names {
            try #require(rename(other.path(name), folder.path(name)) == 0)
        }
        return second
    }

    private func clear(_ folder: DownloadFolder) throws -> [String] {
        folder.directory.deleteUselessParts(beside: try #require(try folder.directory.finishedFile()), of: nil)
        return try folder.names.filter { !$0.hasPrefix(".") }
    }

    @Test(arguments: RecordKeeping.allCases)
    func aPartOfTheFinishedVersionGoesWhenNobodyWritesIt(keeping: RecordKeeping) throws {
        let folder = try DownloadFolder(keeping)
        let part = try finish(in: folder)
        #expect(try clear(folder) == ["x.zip", "x.zip.part"], "it is being written")
        part.close()
        #expect(try clear(folder) == ["x.zip"])
        #expect(try folder.read("x.zip") == "12345")
        #expect(try folder.names.filter { $0.contains("part") } == [], "its sidecar goes, too")
    }

    @Test func aPartOfAnotherVersionStays() throws {
        for (total, tag) in [(6, "\"v1\""), (5, "\"v2\"")] as [(Int64, String)] {
            let folder = try DownloadFolder()
            try finish(in: folder, besides: total, tag: tag).close()
            #expect(try clear(folder) == ["x.zip", "x.zip.part"])
        }
    }

    @Test(arguments: RecordKeeping.allCases)
    func anUnfinishedUpdateOrRepairStays(keeping: RecordKeeping) throws {
        let folder = try DownloadFolder(keeping)
        try folder.directory.fetch("12345")
        let update = try folder.directory.partial(replacesExisting: true)
        try update.begin(total: 5, validator: .etag("\"v1\""), encoding: nil)
        try update.append("1")
        update.close()
        #expect(try clear(folder) == ["x.zip", "x.zip.part"])
        let resumed = try folder.directory.partial(replacesExisting: true)
        try resumed.append("2345")
        try resumed.finish(replacing: true)
        // What is finished replaces nothing.
        #expect(try folder.attribute(.replacing, of: "x.zip") == nil || keeping == .sidecar)
    }

    /// The rename of the partial file falls between two looks of another process.
    @Test func aFileThatIsFinishedWhileItsNameIsSoughtIsFound() throws {
        let folder = try DownloadFolder(.namedFiles)
        let first = try folder.directory.begun("12345", total: 5)
        try first.prepareToPublish(size: 5)
        // As the second looks for the partial file, which comes after the final name.
        let seen = folder.seen(.namedFiles) { platform in
            platform.statusOfName = { [status = platform.statusOfName] descriptor, name, followsLinks, found in
                let result = status(descriptor, name, followsLinks, found)
                if name == "x.zip", result != 0 {
                    _ = try? first.publish(replacing: .none)
                    errno = ENOENT
                }
                return result
            }
        }
        guard case .finished(let file) = try seen.open(seen.claim(origin, .derived), isOfDocument: false) else {
            Issue.record("it begins again what is finished: \(try folder.names)")
            return
        }
        #expect(file.name == "x.zip")
        #expect(try folder.names == ["x.zip"])
    }
}
