import Foundation
import Testing

@testable import Spate

@Suite struct CodingTests {
    private func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func value<Value: Decodable>(_ type: Value.Type = Value.self, _ json: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(json.utf8))
    }

    @Test func aRequestComesBackAsItWas() throws {
        var request = DownloadRequest(try #require(URL(string: "https://host.test/a%20b?x=1&y=%2F")))
        request.fileName = "name"
        request.naming = .automatic
        request.directory = URL(fileURLWithPath: "/some folder", isDirectory: true)
        request.headers = ["Accept": "x/y", "Referer": "z"]
        request.privateHeaders = ["X-One", "X-Two"]
        request.priority = .veryHigh
        request.expectedBytes = 5
        request.maximumBytes = .max
        request.maxBytesPerSecond = 7
        request.timeLimit = .milliseconds(2_500)
        request.sha256 = "ab"
        request.replacesExistingFile = true
        request.allowsInsecureRedirects = true
        request.connections = .exactly(3)
        request.mirrors = [request.url]
        request.checksForUpdate = true
        request.skipsExistingFile = true
        request.keepsServerTime = false
        request.usesServerMetalink = true
        let back = try value(DownloadRequest.self, json(request))
        #expect(back == request)
        #expect(try json(back) == json(request))
        for priority in [Operation.QueuePriority.veryLow, .low, .normal, .high, .veryHigh] {
            request.priority = priority
            #expect(try value(DownloadRequest.self, json(request)).priority == priority)
        }
        let property = try PropertyListEncoder().encode([request])
        #expect(try PropertyListDecoder().decode([DownloadRequest].self, from: property).first?.url == request.url)
    }

    @Test func theFormIsThatOfEarlierVersions() throws {
        var request = DownloadRequest(try #require(URL(string: "https://host.test/f")))
        (request.fileName, request.naming, request.priority) = ("a", .server, .veryLow)
        (request.directory, request.placement) = (URL(string: "file:///d/"), .urlFolders(cutting: 2))
        request.metalink = Metalink.File(storedPieces: "5 md5 5 900150983cd24fb0d6963f7d28e17f72", of: request)
        (request.expectedBytes, request.maximumBytes, request.maxBytesPerSecond) = (5, 6, 7)
        (request.headers, request.privateHeaders) = (["A": "b", "Cookie": "hush"], ["Z", "Y"])
        request.mirrors = [request.url]
        (request.connections, request.repair, request.asksOnly) = (.automatic, DownloadRequest.Repair(), true)
        (request.replacesExistingFile, request.allowsInsecureRedirects, request.checksForUpdate) = (true, true, true)
        (request.skipsExistingFile, request.keepsServerTime, request.usesServerMetalink) = (true, false, true)
        let text =
            #"{"allowsInsecureRedirects":true,"checksForUpdate":true,"connections":"auto","cutURLFolders":2,"#
            + #""directory":"file:///d/","expectedBytes":5,"fileName":"a","headers":{"A":"b"},"#
            + #""isChosenByDocument":false,"keepsServerTime":false,"maxBytesPerSecond":7,"maximumBytes":6,"#
            + #""mirrors":["https://host.test/f"],"naming":"server","#
            + #""pieces":"5 md5 5 900150983cd24fb0d6963f7d28e17f72","priority":"veryLow","privateHeaders":["Y","Z"],"#
            + #""replacesExistingFile":true,"skipsExistingFile":true,"url":"https://host.test/f","#
            + #""usesServerMetalink":true}"#
        #expect(try json(request) == text)
        let read = try value(DownloadRequest.self, text)
        (request.headers, request.repair, request.asksOnly) = (["A": "b"], nil, false)
        #expect(read == request)
        // Earlier versions did not say who chose the URL.
        let earlier = text.replacing(#""isChosenByDocument":false,"#, with: "")
        #expect(try value(DownloadRequest.self, earlier).isChosenByDocument)
    }

    @Test func aChecksumIsWrittenSoThatEarlierVersionsReadIt() throws {
        var request = DownloadRequest(try #require(URL(string: "https://host.test/f")))
        let digest = String(repeating: "ab", count: 32)
        request.checksum = try Checksum(.sha256, digest)
        #expect(try json(request) == #"{"sha256":"\#(digest)","url":"https://host.test/f"}"#)
        #expect(try value(DownloadRequest.self, json(request)).checksum == request.checksum)
        request.checksum = try Checksum(.md5, String(digest.prefix(32)))
        #expect(try json(request) == #"{"checksum":"md5:\#(digest.prefix(32))","url":"https://host.test/f"}"#)
        #expect(try value(DownloadRequest.self, json(request)).checksum == request.checksum)
    }

    @Test(
        "No credential is written",
        arguments: [
            ("https://user:secret@host.test/f?q=1#secret", "https://host.test/f?q=1"),
            ("https://secret@host.test:8443/f", "https://host.test:8443/f"),
            ("https://:secret@host.test/", "https://host.test/"),
            ("ftp://user:secret@host.test/f", "ftp://host.test/f"),
            ("https://us%40er:secret%3A@[::1]/f%20g", "https://[::1]/f%20g"),
        ]
    )
    func credentials(url: String, written: String) throws {
        var mirrored = DownloadRequest(try #require(URL(string: "https://host.test/f")))
        mirrored.mirrors = [try #require(URL(string: url))]
        #expect(try json(mirrored) == #"{"mirrors":["\#(written)"],"url":"https://host.test/f"}"#)
        var request = DownloadRequest(try #require(URL(string: url)))
        request.headers = [
            "Authorization": "secret", "cookie": "secret", "X-Api-Key": "secret", "x-mine": "secret", "Accept": "a/b",
        ]
        request.privateHeaders = ["X-Mine"]
        request.clientCertificate = ClientCertificate(file: URL(fileURLWithPath: "/secret"))
        #expect(
            try json(request)
                == #"{"headers":{"Accept":"a/b"},"privateHeaders":["X-Mine"],"url":"\#(written)"}"#
        )
    }

    @Test func aRequestNeedsOnlyItsURLAndIgnoresUnknownKeys() throws {
        let request = try value(DownloadRequest.self, #"{"url": "https://host.test/f", "later": {"a": [1]}}"#)
        #expect(try json(request) == #"{"url":"https://host.test/f"}"#)
        #expect(request.priority == .normal && !request.replacesExistingFile && request.headers.isEmpty)
        #expect(throws: DecodingError.self) { try value(DownloadRequest.self, "{}") }
        #expect(throws: DecodingError.self) {
            try value(DownloadRequest.self, #"{"url": "https://host.test/f", "priority": "urgent"}"#)
        }
    }

    @Test func progressComesBackAndASpeedThatIsNotFiniteIsLeftOut() throws {
        for progress in [
            DownloadProgress(receivedBytes: 5, totalBytes: .max, bytesPerSecond: 0.1), DownloadProgress(),
        ] {
            #expect(try value(DownloadProgress.self, json(progress)) == progress)
        }
        #expect(try json(DownloadProgress(receivedBytes: 1, bytesPerSecond: .nan)) == #"{"receivedBytes":1}"#)
        #expect(try value(DownloadProgress.self, #"{"x": 1}"#) == DownloadProgress())
    }

    @Test func aPolicyIsInSecondsAndComesBackToTheNanosecond() throws {
        #expect(
            try json(RetryPolicy())
                == #"{"firstDelay":1,"maxRetriesOfUnknownName":1,"maxRetriesWithoutProgress":5,"maximumDelay":60,"#
                + #""maximumRetryAfter":300}"#
        )
        var patient = RetryPolicy()
        patient.maxRetriesOfUnknownName = 9
        #expect(try value(RetryPolicy.self, json(patient)) == patient)
        for nanoseconds in [1, 5_000_000, 1_100_000_000, 123_456_789_012_345, -7] as [Int64] {
            let policy = RetryPolicy(maxRetriesWithoutProgress: 0, firstDelay: .nanoseconds(nanoseconds))
            #expect(try value(RetryPolicy.self, json(policy)) == policy)
        }
        #expect(try value(RetryPolicy.self, #"{"maximumDelay": 0.5, "x": 0}"#).maximumDelay == .milliseconds(500))
        #expect(try value(RetryPolicy.self, "{}") == RetryPolicy())
    }

    @Test(arguments: ["1e300", "-1e300", "9e9", #""1 s""#])
    func anInvalidTimeIsRefusedAndDoesNotTrap(text: String) {
        #expect(throws: DecodingError.self) { try value(RetryPolicy.self, #"{"firstDelay": \#(text)}"#) }
    }

    @Test func theLongestTimeCanBeReadBack() throws {
        let policy = RetryPolicy(maximumDelay: .seconds(Int64.max))
        #expect(try value(RetryPolicy.self, json(policy)).maximumDelay > .seconds(1_000_000_000))
    }

    @Test func aStoredDownloadComesBack() throws {
        let url = try #require(URL(string: "https://host.test/f"))
        for total in [nil, 9] as [Int64?] {
            let stored = StoredDownload(
                url: url,
                file: URL(fileURLWithPath: "/d/f"),
                receivedBytes: 3,
                totalBytes: total,
                isFinished: false,
                isInUse: true
            )
            #expect(try value(StoredDownload.self, json(stored)) == stored)
        }
    }

    @Test func anErrorComesBackWithoutItsUnderlyingError() throws {
        let error = DownloadError(
            .httpStatus,
            "No.",
            isRetryable: true,
            keptPartialFile: true,
            statusCode: 503,
            underlying: DownloadError.wasCancelled
        )
        let back = try value(DownloadError.self, json(error))
        #expect(back.code == .httpStatus && back.message == "No." && back.isRetryable && back.keptPartialFile)
        #expect(back.statusCode == 503 && back.underlying == nil)
        let least = try value(DownloadError.self, #"{"code": "new", "message": "x"}"#)
        #expect(least.code == .init(rawValue: "new") && !least.isRetryable && least.statusCode == nil)
        #expect(try json([DownloadError.Code.tls]) == #"["tls"]"#)
    }
}
