import Testing

@testable import SpateHTTPSyntax

@Suite struct HTTPURLTests {
    @Test(arguments: [
        ("http://example.org", "http://example.org/"), ("HTTP://Example.ORG/Path", "http://example.org/Path"),
        ("https://example.org:443/", "https://example.org/"), ("http://example.org:80/", "http://example.org/"),
        ("http://example.org:443/", "http://example.org:443/"), ("http://example.org:/a", "http://example.org/a"),
        ("http://example.org:00080/a", "http://example.org/a"),
        ("http://example.org:008080/a", "http://example.org:8080/a"),
        ("http://example.org:65535/a", "http://example.org:65535/a"),
        ("http://example.org/a#part", "http://example.org/a"), ("http://example.org#part", "http://example.org/"),
        ("http://example.org/a?b#c?d", "http://example.org/a?b"), ("http://example.org?", "http://example.org/?"),
        ("http://example.org/a?", "http://example.org/a?"),
        ("http://example.org?a=b/../c", "http://example.org/?a=b/../c"),
        ("http://user:secret@example.org/a", "http://example.org/a"),
        ("http://@example.org/a", "http://example.org/a"),
        ("http://example.org/%7Ea%2fb", "http://example.org/%7Ea%2fb"),
        ("http://example.org/a b", "http://example.org/a%20b"),
        ("http://example.org/\"<>\\^`{|}", "http://example.org/%22%3C%3E%5C%5E%60%7B%7C%7D"),
        ("http://example.org/?\"<>\\^`{|} ", "http://example.org/?%22%3C%3E%5C%5E%60%7B%7C%7D%20"),
        ("http://example.org/é?ü", "http://example.org/%C3%A9?%C3%BC"),
        ("http://example.org/100%", "http://example.org/100%"),
        ("http://example.org/[a]'@:!$&()*+,;=", "http://example.org/[a]'@:!$&()*+,;="),
        ("http://example.org/a/./b/../c", "http://example.org/a/c"),
        ("http://example.org/../../a", "http://example.org/a"), ("http://example.org/a/..", "http://example.org/"),
        ("http://example.org/a/.", "http://example.org/a/"), ("http://example.org/a//../b", "http://example.org/a/b"),
        ("http://example.org//a//b//", "http://example.org//a//b//"),
        ("http://example.org/.../..a/a..", "http://example.org/.../..a/a.."),
        ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/"), ("http://my_host.~a-b/", "http://my_host.~a-b/"),
        ("http://[::1]:8080/a", "http://[::1]:8080/a"), ("http://[2001:DB8::1]/a", "http://[2001:db8::1]/a"),
        ("http://[1:2:3:4:5:6:7:8]/", "http://[1:2:3:4:5:6:7:8]/"),
        ("http://[::ffff:192.0.2.1]/", "http://[::ffff:192.0.2.1]/"),
        ("http://[FE80::1%Eth0]/", "http://[fe80::1%25Eth0]/"),
        ("http://[fe80::1%25eth0]/", "http://[fe80::1%25eth0]/"), ("http://[::]", "http://[::]/"),
    ])
    func aURLHasOneCanonicalText(written: String, canonical: String) throws {
        let url = try HTTPURL(written)
        #expect(url.text == canonical)
        #expect(try HTTPURL(url.text) == url)
        #expect(try HTTPURL(url.text).text == url.text)
    }

    @Test(
        arguments: [
            ("", .notAURL), ("example.org/a", .notAURL), ("/a", .notAURL), (" http://example.org/", .notAURL),
            ("://example.org/", .notAURL), ("1http://example.org/", .notAURL), ("ht tp://example.org", .notAURL),
            ("ftp://example.org/", .unsupportedScheme("ftp")), ("FILE:///etc/passwd", .unsupportedScheme("file")),
            ("httpss://example.org/", .unsupportedScheme("httpss")),
            ("javascript:alert(1)", .unsupportedScheme("javascript")),
            ("localhost:8080/a", .unsupportedScheme("localhost")),
            ("http:", .missingHost), ("http:/", .missingHost), ("http://", .missingHost), ("http:///a", .missingHost),
            ("http://?a", .missingHost), ("http://user@/a", .missingHost), ("http://:80/", .missingHost),
            ("http:example.org", .missingHost), ("http:\\\\example.org", .missingHost),
            ("http://exa mple.org/", .invalidHost), ("http://a\\b/", .invalidHost), ("http://a%2eb/", .invalidHost),
            ("http://a@b@c/", .invalidHost), ("http://a@b:80@c/", .invalidHost), ("http://b[::1]/", .invalidHost),
            ("http://müller.example/", .invalidHost), ("http://a,b/", .invalidHost), ("http://[::1/", .invalidHost),
            ("http://[]/", .invalidHost), ("http://[::1]a/", .invalidHost), ("http://[::1]@b/", .invalidCredentials),
            ("http://[1:2:3:4:5:6:7]/", .invalidHost), ("http://[1:2:3:4:5:6:7:8:9]/", .invalidHost),
            ("http://[1::2::3]/", .invalidHost), ("http://[:1]/", .invalidHost),
            ("http://[1:2:3:4:5:6:7:]/", .invalidHost),
            ("http://[12345::]/", .invalidHost), ("http://[::1.2.3]/", .invalidHost),
            ("http://[::1.2.3.256]/", .invalidHost),
            ("http://[::1.2.3.04]/", .invalidHost), ("http://[fe80::1%]/", .invalidHost),
            ("http://[fe80::1%25]/", .invalidHost),
            ("http://[fe80::1%a b]/", .invalidHost), ("http://[fe80::1%0123456789abcdef]/", .invalidHost),
            ("http://[g::]/", .invalidHost), ("http://[v1.a]/", .invalidHost), ("http://[:::]/", .invalidHost),
            ("http://a\\@b/", .invalidCredentials),
            ("http://a:0/", .invalidPort), ("http://a:65536/", .invalidPort), ("http://a:-1/", .invalidPort),
            ("http://a:8o/", .invalidPort),
            ("http://a:+80/", .invalidPort), ("http://a:80:80/", .invalidPort), ("http://a: 80/", .invalidPort),
            ("http://a:99999999999999999999999/", .invalidPort),
            ("http://example.org/\r\nHost: b", .controlCharacter), ("http://example.org/\0", .controlCharacter),
            ("http://example.org/\t", .controlCharacter), ("http://exa\nmple.org/", .controlCharacter),
            ("http://example.org/#\u{7F}", .controlCharacter), ("http://a%0D%0A@b/", .controlCharacter),
            ("http://a:b%00@b/", .controlCharacter), ("http://a%@b/", .invalidCredentials),
            ("http://a%4@b/", .invalidCredentials), ("http://a%zz@b/", .invalidCredentials),
            ("http://a%FF@b/", .invalidCredentials), ("http://a b@c/", .invalidCredentials),
        ] as [(String, HTTPURLError)]
    )
    func anAmbiguousURLIsAnError(written: String, error: HTTPURLError) {
        #expect(throws: error) { try HTTPURL(written) }
    }

    @Test func aURLHasAMaximumLength() throws {
        let start = "http://a/"
        let longest = start + String(repeating: "b", count: HTTPURL.maximumLength - start.utf8.count)
        #expect(try HTTPURL(longest).text == longest)
        #expect(throws: HTTPURLError.tooLong) { try HTTPURL(longest + "b") }
        let growing = start + String(repeating: " ", count: HTTPURL.maximumLength / 2)
        #expect(throws: HTTPURLError.tooLong) { try HTTPURL(growing) }
        let longHost = "http://" + String(repeating: "A", count: HTTPURL.maximumLength - 7)
        #expect(throws: HTTPURLError.tooLong) { try HTTPURL(longHost) }
    }

    @Test func theSchemeHostAndPortAreThoseOfTheConnection() throws {
        let plain = try HTTPURL("HTTP://Example.org/a")
        #expect((plain.scheme, plain.host, plain.port) == (.http, "example.org", 80))
        let secure = try HTTPURL("https://user@Example.org:8443?a")
        #expect((secure.scheme, secure.host, secure.port) == (.https, "example.org", 8443))
        let numeric = try HTTPURL("https://[::1%25lo]/")
        #expect((numeric.scheme, numeric.host, numeric.port) == (.https, "::1%25lo", 443))
    }

    @Test(arguments: [
        ("http://user:secret@example.org/", "user", "secret"), ("http://user@example.org/", "user", ""),
        ("http://:secret@example.org/", "", "secret"), ("http://us%40er:a:b%2Fc%25@example.org/", "us@er", "a:b/c%"),
        ("http://%C3%BC:%E2%82%AC@example.org/", "ü", "€"),
    ])
    func credentialsAreDecodedAndKeptOutOfTheText(written: String, user: String, password: String) throws {
        let url = try HTTPURL(written)
        #expect(url.credentials == Credentials(user: user, password: password))
        #expect(url.text == "http://example.org/")
        #expect(try url == HTTPURL("http://example.org/"))
    }

    @Test func noWayOfPrintingShowsCredentials() throws {
        let url = try HTTPURL("http://annabel:secret@example.org/")
        var dumped = ""
        dump(url, to: &dumped)
        for printed in ["\(url)", String(reflecting: url), dumped, "\([url])", "\(Optional(url) as Any)"] {
            #expect(!printed.contains("annabel") && !printed.contains("secret"))
        }
    }

    @Test(arguments: [
        ("http://a/b/file.zip", "file.zip"), ("http://a/b/", ""), ("http://a", ""), ("http://a/f?x/y", "f"),
        ("http://a/f%20%C3%A9", "f é"), ("http://a/%2e%2E", ".."), ("http://a/x%2Fy", "x/y"), ("http://a/50%", "50%"),
        ("http://a/5%2", "5%2"), ("http://a/%zz", "%zz"), ("http://a/a/..", ""), ("http://a/%00", "\0"),
    ])
    func theLastPathComponentIsDecodedToBytes(written: String, name: String) throws {
        let url = try HTTPURL(written)
        #expect(url.lastPathComponent == Array(name.utf8))
        #expect(url.plainLastPathComponent == (url.path.contains("%") ? nil : name))
    }

    @Test(arguments: [
        ("http://a/x", "http://a/y?z", true), ("http://a:80/", "http://u@A/", true), ("http://a/", "https://a/", false),
        ("http://a/", "http://a:81/", false), ("http://a/", "http://b/", false), ("http://a/", "http://ab/", false),
        ("http://a:8/", "http://a:80/", false), ("https://a:80/", "http://a/", false),
    ])
    func anOriginIsSchemeHostAndPort(left: String, right: String, isSame: Bool) throws {
        let (left, right) = (try HTTPURL(left).origin, try HTTPURL(right).origin)
        #expect((left == right) == isSame && (right == left) == isSame && (left.text == right.text) == isSame)
        #expect(Set([left, right]).count == (isSame ? 1 : 2))
    }

    @Test(arguments: [
        ("http://a/", true), ("http://user@a:81/b//c.d", true), ("http://a/b?c", false), ("http://a/b?", false),
        ("http://a/%7Eb", false), ("http://a/b%", false), ("http://[::1]:81/b", false), ("http://a/[b]", true),
    ])
    func aPlainURLIsAnOriginAndAPathWithoutEscapes(written: String, isPlain: Bool) throws {
        let url = try HTTPURL(written)
        #expect(url.isPlain == isPlain)
        #expect(url.text.utf8.dropFirst(url.pathOffset).first == UInt8(ascii: "/"))
        #expect(url.text.utf8.prefix(url.pathOffset).elementsEqual(url.origin.text.utf8))
    }

    @Test func anOriginThatIsKeptHasNothingElseOfItsURL() throws {
        let origin = try HTTPURL("https://host.test:8443/file?signature=secret").origin
        let texts = Mirror(reflecting: origin.alone).children.compactMap { $0.value as? String }
        #expect(origin.alone == origin && texts == ["https://host.test:8443"])
    }

    @Test func aURLFitsIntoFourWords() {
        #expect(MemoryLayout<HTTPURL>.stride == 32)
    }
}
