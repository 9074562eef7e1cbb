import Foundation
import Spate
import SpateTestSupport
import Testing

@testable import SpateProgram

/// The files of `--netrc`, `--cookies` and `--header @FILE`.
@Suite(.takesTurns) struct OptionFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func file(_ text: String) throws -> OptionFile {
        try folder.write(text, to: "file")
        return OptionFile(option: "--option", path: folder.path("file"), unreadable: .unreadableNetrc, advice: "")
    }

    // MARK: netrc

    private static let netrc = """
        # logins
        machine one.example login a password p1 # why
        machine TWO.example
          login b account x
          password "p 2\\"\\\\\\t"
        macdef init
        machine macro.example login no password no

        machine two.example login c password p3
        machine three.example login "#d" password p4#
        machine four.example password p5
        default login anonymous password me@
        """

    @Test(
        arguments: [
            ("one.example", nil, "a", "p1"), ("One.Example", nil, "a", "p1"), ("one.example", "a", "a", "p1"),
            ("two.example", nil, "b", "p 2\"\\\t"), ("two.example", "c", "c", "p3"),
            ("three.example", nil, "#d", "p4#"), ("four.example", "u", "u", "p5"),
            ("macro.example", nil, "anonymous", "me@"), ("x.one.example", nil, "anonymous", "me@"),
        ] as [(String, String?, String, String)]
    )
    func aHostGetsItsFirstLogin(host: String, asked: String?, user: String, password: String) throws {
        let netrc = try Netrc(file(Self.netrc))
        let login = try #require(netrc.login(for: host, user: asked))
        #expect(login == (user, password))
    }

    @Test func aHostOrUserWithoutAnEntryGetsNoLogin() throws {
        let netrc = try Netrc(file("machine one.example login a password p\nmachine bare.example"))
        #expect(netrc.login(for: "two.example", user: nil) == nil)
        #expect(netrc.login(for: "one.example", user: "b") == nil)
        #expect(netrc.login(for: "bare.example", user: nil) == nil)
    }

    // MARK: Cookies

    private static let jar = """
        # Netscape HTTP Cookie File

        .example.com\tTRUE\t/\tFALSE\t0\tall\t1
        #HttpOnly_example.com\tFALSE\t/\tTRUE\t0\tsecure\t2
        example.com\tFALSE\t/dir\tFALSE\t2000000000\tdir\t3
        example.com\tFALSE\t/\tFALSE\t0\tempty
        10.0.0.1\tFALSE\t/\tFALSE\t0\tip\t5

        """

    @Test func eachLineIsACookie() throws {
        let expected = [
            DownloadCookie("all", "1", domain: ".example.com", includesSubdomains: true),
            DownloadCookie("secure", "2", domain: "example.com", isSecure: true),
            DownloadCookie("dir", "3", domain: "example.com", path: "/dir", expires: Date(timeIntervalSince1970: 2e9)),
            DownloadCookie("empty", "", domain: "example.com"),
            DownloadCookie("ip", "5", domain: "10.0.0.1"),
        ]
        #expect(try file(Self.jar).cookies() == expected)
    }

    @Test(arguments: [
        "example.com TRUE / FALSE 0 name secret", "example.com\tTRUE\tdir\tFALSE\t0\tname\tsecret",
        "example.com\tTRUE\t/\tFALSE\tsoon\tname\tsecret", "example.com\tTRUE\t/\tFALSE\t0\tname\tsecret\u{1}",
    ])
    func aLineThatIsNoCookieIsRefusedWithItsNumber(line: String) throws {
        let error = #expect(throws: UsageError.self) { try file("# jar\n\(line)\n").cookies() }
        #expect(error?.kind == .cookieLine && error?.message.contains(", line 2: ") == true)
        #expect(error?.message.contains("secret") == false)
    }

    // MARK: Requests

    @Test func secretsFromFilesReachTheOriginAndNoOtherServer() async throws {
        let other = try TestServer { _ in .status(200, body: "content") }
        let server = try TestServer { _ in .redirect(to: other.url("/b", authority: "localhost").absoluteString) }
        let files = [
            "jar": "127.0.0.1\tFALSE\t/\tFALSE\t0\tname\tvalue\n", "headers": "X-One: 1\r\n\nX-Api-Key: 2\n",
            ".netrc": "machine 127.0.0.1 login me password p@ss:ö\n",
        ]
        for (name, text) in files { try folder.write(text, to: name) }
        let words = ["--netrc", "--cookies", "jar", "--header", "@headers", server.url("/a").absoluteString]
        try await folder.spate(words, environment: ["HOME": folder.path])
        let sent = try #require(server.requests.first?.fields)
        #expect(sent["Authorization"] == "Basic \(Data("me:p@ss:ö".utf8).base64EncodedString())")
        #expect(sent["Cookie"] == "name=value" && sent["X-One"] == "1" && sent["X-Api-Key"] == "2")
        let sentOn = try #require(other.requests.first?.fields)
        #expect(sentOn["X-One"] == "1")
        for name in ["Authorization", "Cookie", "X-Api-Key"] { #expect(sentOn[name] == nil) }
    }

    @Test func aURLsOwnLoginAndAGivenHeaderComeFirst() async throws {
        let server = try TestServer { _ in .status(200, body: "content") }
        try folder.write("default login you password p\n", to: "logins")
        let own = server.url("/own", authority: "you:q@127.0.0.1").absoluteString
        try await folder.spate(["--netrc-file", "logins", own])
        let header = ["--header", "Authorization: Bearer t"]
        try await folder.spate(["--netrc-file", "logins"] + header + ["\(server.url("/header"))"])
        let you = "Basic \(Data("you:q".utf8).base64EncodedString())"
        #expect(server.requests.map { $0.fields["Authorization"] } == [you, "Bearer t"])
    }
}
