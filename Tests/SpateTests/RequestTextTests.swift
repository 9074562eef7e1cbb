import Foundation
import SpateHTTPSyntax
import SpateTestSupport
import Testing

@testable import Spate

/// Requests that are made from a text, and the memory that requests share.
@Suite struct RequestTextTests {
    @Test func aTextIsReadAsFoundationReadsIt() {
        var random = SeededRandom(seed: 4)
        let starts = [
            "http://host", "https://host:8080", "http://Host", "http://u:p@host", "http://[::1]", "ftp://h", "",
        ]
        let pieces =
            (0x00...0x7F).map { String(Unicode.Scalar(UInt8($0))) } + [
                "%41", "%4", "%zz", "ä", "/../", "/./", "//", "?", "#",
            ]
        var (plain, other, refused) = (0, 0, 0)
        for start in starts {
            for path in pieces.flatMap({ ["/a\($0)b", "/a?\($0)b", "/\($0)"] })
                + (0..<500).map({ _ in
                    "/"
                        + (0..<random.next(upperBound: UInt(6))).map { _ in pieces.randomElement(using: &random) ?? "" }
                        .joined()
                })
            {
                let text = start + path
                let isSafe = !text.utf8.contains { $0 < 0x20 || $0 == 0x7F }
                let url = isSafe ? URL(string: text) : nil
                let expected = url.flatMap { try? HTTPURL($0.absoluteString) }
                let request = try? DownloadRequest(text: text)
                #expect(request?.normalizedText == expected?.text, "\(text)")
                guard let request, let url else {
                    refused += 1
                    continue
                }
                if case .plain = request.givenURL { plain += 1 } else { other += 1 }
                let same = DownloadRequest(url)
                #expect(request.url == url && request.url.absoluteString == url.absoluteString, "\(text)")
                #expect(request == same && request.hashValue == same.hashValue, "\(text)")
                #expect(request.normalizedURL == same.normalizedURL, "\(text)")
            }
        }
        // Each way is taken.
        #expect(plain > 300 && other > 300 && refused > 300)
    }

    @Test func aTextThatIsNoURLIsRefusedWithTheReason() {
        #expect(throws: DownloadError.self) { try DownloadRequest(text: "http://host/a\nb") }
        for (text, code) in [
            ("", DownloadError.Code.badURL), ("host/file", .badURL), ("http://user:secret@host:0/", .badURL),
            ("ftp://host/file", .unsupportedScheme),
        ] {
            let error = #expect(throws: DownloadError.self) { try DownloadRequest(text: text) }
            #expect(error?.code == code && error?.message.contains("secret") == false, "\(text)")
        }
    }

    @Test func requestsWithTheSameOptionsDoNotChangeEachOther() throws {
        var common = try DownloadRequest(text: "http://host/common")
        (common.fileName, common.headers, common.mirrors) = ("a", ["A": "1"], [common.url])
        var one = try DownloadRequest(text: "http://host/one").withOptions(of: common)
        #expect(one.url.path == "/one" && one.options == common.options)
        one.headers["A"] = "2"
        one.maximumBytes = 5
        #expect(common.headers == ["A": "1"] && common.maximumBytes == nil && common.fileName == "a")
        #expect(one.headers == ["A": "2"] && one.maximumBytes == 5 && one.fileName == "a" && one != common)
        #expect(try DownloadRequest(text: "http://host/two").options == RequestOptions())
        one.url = common.url
        #expect(one.url == common.url && one.normalizedText == "http://host/common")
    }
}
