import Foundation
import SpateFilePaths
import SpatePartialFiles
import Testing

@testable import Spate

@Suite struct ValidRequestTests {
    private static let configuration: DownloadManager.Configuration = {
        var configuration = DownloadManager.Configuration()
        configuration.directory = URL(fileURLWithPath: "/downloads", isDirectory: true)
        return configuration
    }()

    private static func valid(
        _ text: String = "http://host.test/file.zip",
        configuration: DownloadManager.Configuration = configuration,
        digests: DigestLibrary = .libcrypto,
        _ change: (inout DownloadRequest) -> Void = { _ in }
    ) throws -> ValidRequest {
        var request = DownloadRequest(try #require(URL(string: text)))
        change(&request)
        return try ValidRequest(request, in: ValidConfiguration(configuration, digests: digests))
    }

    private static func refusal(
        _ text: String = "http://host.test/file.zip",
        _ change: (inout DownloadRequest) -> Void = { _ in }
    ) throws -> DownloadError {
        try #require(throws: DownloadError.self) { _ = try valid(text, change) }
    }

    @Test(
        "An address that cannot be fetched is refused with its reason, and without what was secret in it",
        arguments: [
            ("file.zip", .badURL), ("/file.zip", .badURL), ("http:///file", .badURL), ("http:file", .badURL),
            ("http://", .badURL), ("http://:80/", .badURL), ("http://user:secret@/file", .badURL),
            ("http://user:secret@host:99999/file", .badURL), ("http://user%0Asecret@host/", .badURL),
            ("ftp://user:secret@host/file", .unsupportedScheme), ("file:///etc/passwd", .unsupportedScheme),
            ("data:text/plain,secret", .unsupportedScheme), ("javascript:secret", .unsupportedScheme),
        ] as [(String, DownloadError.Code)]
    )
    func badAddress(text: String, code: DownloadError.Code) throws {
        let error = try Self.refusal(text)
        #expect(error.code == code && !error.isRetryable)
        #expect(error.message.isSentence && !error.message.contains("secret"))
    }

    @Test func anAddressThatCannotBeFetchedIsShownWithoutItsQuery() throws {
        let error = try Self.refusal("//host.test/file?signature=hidden")
        #expect(error.message.contains("\"//host.test/file\"") && !error.message.contains("hidden"), "\(error.message)")
    }

    @Test(
        "Headers that could be read as more than one, or that Spate sets itself, are refused",
        arguments: [
            ("X-A", "hush\r\nX-B: two"), ("X-A", "hush\ntwo"), ("X-A", "hush\rtwo"), ("X-A", "hush\0two"),
            ("X-A", "\u{7F}"), ("X-A", "\u{1B}[0m"), ("X-A", "one\r\n"), ("X A", "one"), ("X-A:", "one"), ("", "one"),
            ("X-A\r\nX-B", "one"), ("X-\0", "one"), ("X-Ä", "one"), ("X-A\n", "one"), ("(X)", "one"),
            ("Range", "bytes=5-"), ("RANGE", ""), ("if-range", "\"a\""), ("Accept-Encoding", "gzip"),
            ("Content-Length", "5"), ("Transfer-Encoding", "chunked"),
            ("Connection", "close"),
        ]
    )
    func badHeader(name: String, value: String) throws {
        let own = try Self.refusal { $0.headers = [name: value] }
        #expect(own.code == .badHeader && own.message.isSentence)
        #expect(!own.message.contains("hush"))
        var configuration = Self.configuration
        configuration.headers = [name: value]
        let common = try #require(throws: DownloadError.self) { _ = try Self.valid(configuration: configuration) }
        #expect(common.code == .badHeader)
    }

    /// libcurl would send from any interface.
    @Test(arguments: ["", String(repeating: "e", count: 255), "eth0\0"])
    func aNetworkInterfaceThatWouldBeIgnoredIsRefused(name: String) throws {
        var configuration = Self.configuration
        configuration.networkInterface = name
        let error = try #require(throws: DownloadError.self) { _ = try Self.valid(configuration: configuration) }
        #expect(error.code == .connectionFailed && !error.isRetryable && error.message.isSentence)
        configuration.networkInterface = String(repeating: "e", count: 254)
        _ = try Self.valid(configuration: configuration)
    }

    @Test(
        "Headers of any other form pass",
        arguments: [
            ("X-A", ""), ("X-A", "one\ttwo three"), ("!#$%&'*+-.^_`|~09azAZ", "one"), ("User-Agent", "Naïve/1.0 (日本)"),
            ("Authorization", "Basic dTpw"), ("Ranges", "bytes=5-"),
            ("Host", "name.behind.a.proxy"),
        ]
    )
    func goodHeader(name: String, value: String) {
        #expect(throws: Never.self) { try Self.valid { $0.headers = [name: value] } }
    }

    @Test(
        "A chosen name that is no plain file name is refused, not repaired",
        arguments: [
            "", ".", "..", "a/b", "/a", "../a", "a/", "a\0b", "a\nb", "a\u{7F}", "a.part",
            String(repeating: "a", count: 300),
        ]
    )
    func badFileName(name: String) throws {
        let error = try Self.refusal { $0.fileName = name }
        #expect(error.code == .badFileName && error.message.isSentence)
    }

    @Test func aChosenNameIsTakenAsItIs() throws {
        let request = try Self.valid { $0.fileName = "Ünïcode – 100%.tar.gz" }
        #expect(request.naming == .explicit(try FileName(explicit: "Ünïcode – 100%.tar.gz")))
        #expect(try Self.valid().naming == .derived)
    }

    @Test(arguments: ["", "abc", String(repeating: "g", count: 64), String(repeating: "0", count: 65)])
    func anInvalidChecksumIsRefused(digest: String) throws {
        let error = try Self.refusal { $0.sha256 = digest }
        #expect(error.code == .badChecksum && error.message.isSentence)
    }

    @Test(arguments: Checksum.Algorithm.allCases)
    func withoutLibcryptoOnlySHA256IsAccepted(algorithm: Checksum.Algorithm) throws {
        let checksum = Checksum(algorithm, digest: [0])
        #expect(throws: Never.self) { try Self.valid { $0.checksum = checksum } }
        guard algorithm != .sha256 else {
            #expect(throws: Never.self) { try Self.valid(digests: .none) { $0.checksum = checksum } }
            return
        }
        let error = #expect(throws: DownloadError.self) { try Self.valid(digests: .none) { $0.checksum = checksum } }
        #expect(error?.code == .badChecksum && error?.message.isSentence == true)
        #expect(error?.message.contains("libcrypto") == true)
    }

    @Test(arguments: ["https://user:secret@host.test/folder", "sftp://user:secret@host.test/"])
    func aFolderElsewhereIsRefusedWithoutItsSecrets(folder: String) throws {
        let error = try Self.refusal { $0.directory = URL(string: folder) }
        #expect(error.code == .fileSystem && error.message.isSentence)
        #expect(!error.message.contains("secret") && error.message.contains("host.test"))
    }

    @Test func theFolderOfTheRequestStandsOverTheManagersInOneForm() throws {
        #expect(try Self.valid().claim.folder == "/downloads")
        for path in ["/other", "/other/", "/other/./", "/x/../other"] {
            let request = try Self.valid { $0.directory = URL(fileURLWithPath: path, isDirectory: true) }
            #expect(request.claim.folder == "/other")
        }
    }

    @Test func whatTheServerTakesForOneAddressIsOneKey() throws {
        let key = try Self.valid("http://host.test/a").url
        for text in ["HTTP://HOST.test:80/a", "http://user:secret@host.test/a#part"] {
            #expect(try Self.valid(text).url == key)
        }
        for text in ["https://host.test/a", "http://host.test:81/a", "http://host.test/a?", "http://host.test/A"] {
            #expect(try Self.valid(text).url != key)
        }
    }
}
