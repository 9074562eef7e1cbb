import Foundation
import Spate
import SpateTestSupport
import Testing

@testable import SpateProgram

@Suite struct URLListTests {
    @Test func eachOfManyURLsIsNewOnce() throws {
        var known = KnownURLs()
        let urls = try (0..<20_000).map { KnownURLs.Fingerprint(of: try DownloadURL("http://h/\($0)")) }
        let (first, second) = (urls.filter { known.insert($0) }, urls.filter { known.insert($0) })
        #expect(first.count == urls.count && second.isEmpty)
    }

    private func list(_ urls: [String] = [], inputs: [String] = [], shard: DownloadShard? = nil) throws -> URLList {
        var arguments = Arguments()
        (arguments.urls, arguments.inputs, arguments.shard) = (urls, inputs, shard)
        return try URLList(arguments)
    }

    @Test func onlyTheWantedURLsAreRead() throws {
        var list = try list(["http://host/a", "http://host/a", "http://host/b", "nonsense"])
        #expect(try list.next(2).map(\.source.shown) == ["http://host/a", "http://host/b"])
        #expect(!list.isAtEnd)
    }

    @Test func readingContinuesAfterAnInvalidURL() async throws {
        let list = try list(["http://host/a", "nonsense", "http://host/a", "http://host/b"])
        let batch = await URLListReader(list).next(10)
        #expect(batch.items.map(\.source.shown) == ["http://host/a", "http://host/b"])
        #expect(batch.faults.count == 1 && batch.isLast)
    }

    @Test func linesForAnotherProgramDoNotKeepTheOthersBack() throws {
        let folder = try TemporaryFolder()
        try folder.write("ftp://host/a\n split=2\nmagnet:?x\nhttp://host/b\n", to: "list")
        var list = try list(inputs: [folder.path("list")])
        let (items, faults) = try list.first(2)
        #expect(items.isEmpty && faults.count == 2 && !list.isAtEnd)
        #expect(try list.first(2).items.map(\.source.shown) == ["http://host/b"])
        try folder.write("ftp://host/a\n", to: "none")
        let error = #expect(throws: UsageError.self) {
            var list = try self.list(inputs: [folder.path("none")])
            _ = try list.first(2)
        }
        #expect(error?.kind == .otherScheme)
    }

    @Test func aRepeatedURLMustHaveTheSameSettings() async throws {
        let folder = try TemporaryFolder()
        let lines = ["http://host/a", " out=x", "http://Host/a", " out=x", "http://host/a", "http://host/b"]
        try folder.write(lines.joined(separator: "\n"), to: "list")
        let batch = await URLListReader(try list(inputs: [folder.path("list")])).next(10)
        #expect(batch.items.map(\.source.shown) == ["http://host/a", "http://host/b"])
        #expect(batch.faults.count == 1)
        #expect(batch.faults.first?.contains("list, line 5: http://host/a is given twice") == true)
    }

    @Test func eachLineOfAListFallsToOnePart() throws {
        let folder = try TemporaryFolder()
        let lines = (0..<200).map { "http://host/\($0)" }
        try folder.write(lines.joined(separator: "\n"), to: "list")
        var found: [String] = []
        for part in 1...4 {
            // What stands on the command line is for everybody.
            let shard = DownloadShard(part, of: 4)
            var list = try list(["http://host/all"], inputs: [folder.path("list")], shard: shard)
            let urls = try list.next(.max).map(\.source.shown)
            #expect(urls.first == "http://host/all" && (30...75).contains(urls.count))
            found += urls.dropFirst()
        }
        #expect(found.sorted() == lines.sorted())
    }

    @Test(arguments: ["/nonexistent", "/"]) func anUnreadableFileIsReportedBeforeAnyIsRead(name: String) {
        let error = #expect(throws: UsageError.self) { try list(inputs: ["/dev/zero", name]) }
        #expect(error?.message.hasPrefix("can't read --input \(name): ") == true)
    }

    @Test func aReadErrorEndsTheList() async throws {
        let batch = await URLListReader(try list(inputs: ["/dev/zero"])).next(10)
        #expect(batch.faults.count == 1 && batch.isLast)
        #expect(batch.faults.first?.contains("line 1: longer than") == true)
        #expect(batch.faults.first?.hasSuffix("; the rest of it is not read") == true)
    }

    @Test func readingContinuesAfterALineThatIsTooLong() async throws {
        let folder = try TemporaryFolder()
        let long = String(repeating: "x", count: 3 * LineReader.longestLine)
        // The options of the second line are not for the first URL, and the third URL lacks a header.
        let lines = [
            "http://host/a", "http://host/\(long)", " out=no", "http://host/b", " header=A: \(long)", " out=no",
            "http://host/c", " out=yes", "# \(long)",
        ]
        try folder.write(lines.joined(separator: "\n"), to: "list")
        let batch = await URLListReader(try list(inputs: [folder.path("list")])).next(10)
        #expect(batch.items.map(\.source.shown) == ["http://host/a", "http://host/c"] && batch.isLast)
        #expect(batch.items.map(\.settings.fileName) == [nil, "yes"])
        try #require(batch.faults.count == 3)
        for (fault, line) in zip(batch.faults, [2, 5, 9]) { #expect(fault.contains("list, line \(line): longer than")) }
    }

    @Test func faultsCountTowardsTheBatch() async throws {
        let batch = await URLListReader(try list(Array(repeating: "nonsense", count: 100))).next(10)
        #expect(batch.faults.count == 10 && !batch.isLast)
    }

    @Test(arguments: [
        ("http://host/file[1-3].jpg", "http://host/file{1..3}.jpg,"),
        ("http://host/[001-100:10]/[a-z].jpg", "http://host/{001..100..10}/{a..z}.jpg,"),
        ("http://{a,b}.host/x", "http://{a,b}.host/x,"), ("http://host[1-2]/x", "http://host{1..2}/x,"),
        ("http://host/{a b,c}?x=1&y={1,}", "http://host/{'a b',c}'?x=1&y='{1,},"),
        ("http://host/$x[1-2]", "'http://host/$x'{1..2},"), ("http://u:secret@host/[1-2]", "without quotes, or the"),
    ])
    func aPatternOfCurlIsRefusedWithWhatAShellExpands(url: String, part: String) throws {
        let error = #expect(throws: UsageError.self) {
            var list = try list([url])
            _ = try list.next(1)
        }
        #expect(error?.kind == .urlPattern && error?.message.contains(part) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("secret") == false)
    }

    @Test(arguments: [
        "http://[::1]/a", "http://[fe80::1]:80/a", "http://host/%5B1-3%5D%7Ba,b%7D", "http://host/a[]",
        "http://host/a[1]", "http://host/a[ids]=1", "http://host/{id}", "http://host/a-[b-1]c", "http://host/a[10-]",
    ])
    func aURLWithOtherBracketsIsTakenAsItIs(url: String) throws {
        #expect(throws: Never.self) {
            var list = try list([url])
            _ = try list.next(1)
        }
    }
}
