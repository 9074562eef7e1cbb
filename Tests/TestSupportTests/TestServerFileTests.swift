import Foundation
import TestSupport
import Testing

/// Left alone, the server is a correct origin server.
struct TestServerFileTests {
    private static let date = Date(timeIntervalSince1970: 784_111_777)
    private let content = Array("0123456789".utf8)

    private func server(etag: String? = "\"v1\"") throws -> TestServer {
        try TestServer(files: ["/a": TestFile(content, etag: etag, lastModified: Self.date), "/empty": TestFile([])])
    }

    @Test func aFileComesWholeWithItsFields() throws {
        let server = try server()
        let client = try PlainClient(server)
        client.ask("/a?query")
        let answer = client.readAnswer()
        #expect(answer.statusLine == "HTTP/1.1 200 OK")
        #expect(answer.body == content)
        #expect(answer["ETag"] == "\"v1\"")
        #expect(answer["Last-Modified"] == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(answer["Accept-Ranges"] == "bytes")
        #expect(answer["Date"]?.hasSuffix("GMT") == true)
        #expect(server.bytesSent == 10)
    }

    @Test(
        arguments: [
            ("bytes=0-", "206", "bytes 0-9/10", "0123456789"),
            ("bytes=4-", "206", "bytes 4-9/10", "456789"),
            ("bytes=2-3", "206", "bytes 2-3/10", "23"),
            ("bytes=8-99999999999999999999", "206", "bytes 8-9/10", "89"),
            ("bytes=-3", "206", "bytes 7-9/10", "789"),
            ("bytes=-30", "206", "bytes 0-9/10", "0123456789"),
            ("bytes=10-", "416", "bytes */10", ""),
            ("bytes=99999999999999999999-", "416", "bytes */10", ""),
            ("bytes=-0", "416", "bytes */10", ""),
            ("bytes=3-2", "200", nil, "0123456789"),
            ("bytes=0-1,4-5", "200", nil, "0123456789"),
            ("lines=0-1", "200", nil, "0123456789"),
            ("bytes=-", "200", nil, "0123456789"),
        ] as [(String, String, String?, String)]
    )
    func aRangeGetsItsPart(range: String, status: String, contentRange: String?, body: String) throws {
        let server = try server()
        let client = try PlainClient(server)
        client.ask("/a", "Range: \(range)")
        let answer = client.readAnswer()
        #expect(answer.statusLine.contains(" \(status) "))
        #expect(answer["Content-Range"] == contentRange)
        #expect(answer.body == Array(body.utf8))
        #expect(server.requests.first?.range == range)
    }

    @Test(
        arguments: [
            ("\"v1\"", "\"v1\"", "206"), ("\"v1\"", "\"v2\"", "200"), ("W/\"v1\"", "W/\"v1\"", "200"),
            (nil, "Sun, 06 Nov 1994 08:49:37 GMT", "206"), (nil, "Sun, 06 Nov 1994 08:49:38 GMT", "200"),
        ] as [(String?, String, String)]
    )
    func ifRangeIsComparedStrongly(etag: String?, ifRange: String, status: String) throws {
        let server = try server(etag: etag)
        let client = try PlainClient(server)
        client.ask("/a", "Range: bytes=1-", "If-Range: \(ifRange)")
        #expect(client.readAnswer().statusLine.contains(" \(status) "))
        #expect(server.requests.first?.ifRange == ifRange)
    }
}
