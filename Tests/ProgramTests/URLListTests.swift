import Foundation
import Spate
import TestSupport
import Testing

@testable import SpateProgram

@Suite struct URLListTests {
    private func list(_ urls: [String]) throws -> URLList {
        var arguments = Arguments()
        arguments.urls = urls
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
        #expect(batch.faults.count == 1)
        #expect(batch.isLast)
    }

    @Test func eachLineOfAListFallsToOnePart() throws {
        let folder = try TemporaryFolder()
        let lines = (0..<200).map { "http://host/\($0)" }
        try Data(lines.joined(separator: "\n").utf8).write(to: folder.url("list"))
        var found: [String] = []
        for part in 1...4 {
            var arguments = Arguments()
            // What stands on the command line is for everybody.
            arguments.urls = ["http://host/all"]
            arguments.inputs = [folder.path("list")]
            arguments.shard = DownloadShard(part, of: 4)
            var list = try URLList(arguments)
            let urls = try list.next(.max).map(\.source.shown)
            #expect(urls.first == "http://host/all" && (30...75).contains(urls.count))
            found += urls.dropFirst()
        }
        #expect(found.sorted() == lines.sorted())
    }

    @Test func aReadErrorEndsTheList() async throws {
        var arguments = Arguments()
        arguments.inputs = ["/dev/zero"]
        let batch = await URLListReader(try URLList(arguments)).next(10)
        #expect(batch.faults.count == 1)
        #expect(batch.isLast)
    }

    @Test func aSecondURLWithAnotherLoginIsRefused() throws {
        var list = try list(["http://a:secret@host/a", "http://a:secret@host/a", "http://b:secret@host/a"])
        #expect(try list.next()?.source.shown == "http://host/a")
        let error = #expect(throws: UsageError.self) { try list.next() }
        #expect(error?.kind == .contradictingURLs)
        #expect(error?.message.contains("secret") == false)
        #expect(try list.next()?.name == nil)
    }

    @Test func faultsCountTowardsTheBatch() async throws {
        let batch = await URLListReader(try list(Array(repeating: "nonsense", count: 100))).next(10)
        #expect(batch.faults.count == 10)
        #expect(!batch.isLast)
    }
}
