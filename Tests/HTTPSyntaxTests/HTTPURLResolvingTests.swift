import Testing

@testable import SpateHTTPSyntax

@Suite struct HTTPURLResolvingTests {
    /// The examples of RFC 3986, section 5.4, whose results are http URLs, without fragments.
    @Test(arguments: [
        ("//g", "http://g/"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
        ("#s", "http://a/b/c/d;p?q"), ("g#s", "http://a/b/c/g"), ("g?y#s", "http://a/b/c/g?y"),
        (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y"),
        ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
        ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
        ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"),
        ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"),
        ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
        ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
        ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
        ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
        ("g#s/./x", "http://a/b/c/g"), ("g#s/../x", "http://a/b/c/g"),
        ("https://b/c/../d", "https://b/d"), ("./g:h", "http://a/b/c/g:h"), ("g/h:i", "http://a/b/c/g/h:i"),
        ("?", "http://a/b/c/d;p?"), ("a b", "http://a/b/c/a%20b"), ("/é", "http://a/%C3%A9"),
        (".//g", "http://a/b/c//g"), ("/\\b", "http://a/%5Cb"), ("1:2", "http://a/b/c/1:2"),
    ])
    func aReferenceResolvesByRFC3986(reference: String, expected: String) throws {
        #expect(try HTTPURL("http://a/b/c/d;p?q").resolving(reference).text == expected)
    }

    @Test(
        arguments: [
            ("g:h", .unsupportedScheme("g")), ("http:g", .missingHost), ("ftp://a/", .unsupportedScheme("ftp")),
            ("http://", .missingHost), ("//", .missingHost), ("///a", .missingHost), ("//a\\b", .invalidHost),
            ("/a\r\nb", .controlCharacter), ("//a:b", .invalidPort),
        ] as [(String, HTTPURLError)]
    )
    func anInvalidReferenceIsAnError(reference: String, error: HTTPURLError) throws {
        let base = try HTTPURL("http://a/b/c/d;p?q")
        #expect(throws: error) { try base.resolving(reference) }
    }

    @Test(
        arguments: [
            ("/b", "me"), ("b", "me"), ("", "me"), ("http://a/b", "me"), ("http://a:80/b", "me"), ("//you@a/b", "you"),
            ("http://you@b/", "you"), ("//b/", nil), ("https://a/", nil), ("http://a:81/", nil),
        ] as [(String, String?)]
    )
    func credentialsAreInheritedOnlyWithinAnOrigin(reference: String, user: String?) throws {
        #expect(try HTTPURL("http://me@a/").resolving(reference).credentials?.user == user)
    }
}
