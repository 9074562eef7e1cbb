import Foundation
import Spate
import Testing

@Suite struct DownloadShardTests {
    private func number(_ text: String, of count: Int) throws -> [Int] {
        let url = try #require(URL(string: text))
        return (1...count).filter { DownloadShard($0, of: count)?.contains(url) ?? false }
    }

    /// Computed by another program. They must never change: machines with other versions share a list.
    @Test(arguments: [
        ("http://example.com/", [1, 1, 9, 137]), ("https://example.com/a.iso", [2, 2, 36, 548]),
        ("https://example.com/b.iso", [2, 3, 51, 797]),
        ("https://mirror.example.org/pool/main/s/swift/swift_6.3.tar.gz?x=1", [2, 2, 33, 511]),
    ])
    func aURLFallsToTheSamePartInEveryVersion(text: String, parts: [Int]) throws {
        for (count, part) in zip([2, 3, 64, 1_000], parts) { #expect(try number(text, of: count) == [part]) }
    }

    @Test(arguments: ["HTTP://EXAMPLE.com:80/#top", "http://user:secret@example.com"])
    func spellingsOfAURLFallToOnePart(text: String) throws {
        #expect(try number(text, of: 1_000) == [137])
    }

    @Test(arguments: ["ftp://example.com/a", "no url"]) func whatCannotBeDownloadedIsOneMachinesToReport(
        text: String
    ) throws {
        let url = URL(string: text) ?? URL(filePath: "/a")
        #expect((1...7).count { DownloadShard($0, of: 7)?.contains(url) ?? false } == 1)
    }

    @Test func partsAreAboutEquallyLong() throws {
        let urls = (0..<2_000).compactMap { URL(string: "https://example.com/data/file\($0).bin") }
        for part in 1...10 {
            let shard = try #require(DownloadShard("\(part)/10"))
            #expect((150...250).contains(urls.count { shard.contains($0) }))
        }
    }

    @Test(arguments: ["", "3", "0/3", "4/3", "-1/3", "+1/3", "1/2/3", "a/b", "1 / 2", "1/99999999999999999999"])
    func onlyANumberOfACountIsAPart(text: String) {
        #expect(DownloadShard(text) == nil)
        #expect(DownloadShard("3/64").map { "\($0)" } == "3/64")
    }
}
