import SpateHTTPResumption
import SpateHTTPSyntax
import Testing

@Suite struct RedirectRulesTests {
    private func decide(
        _ fields: HTTPFields,
        at url: String = "https://a.example/dir/file",
        after earlier: [String] = [],
        policy: RedirectRules = RedirectRules()
    ) throws -> RedirectRules.Decision {
        try policy.decide(
            head: ResponseHead(status: 302, fields: fields),
            at: HTTPURL(url),
            after: earlier.map { try HTTPURL($0) }
        )
    }

    @Test(arguments: [
        ("other", "https://a.example/dir/other"), ("/x?y#z", "https://a.example/x?y"),
        ("//b.example/x", "https://b.example/x"), ("https://b.example", "https://b.example/"),
        ("../f\u{e9}", "https://a.example/f%C3%A9"),
    ])
    func aTargetIsResolvedAndFollowed(location: String, target: String) throws {
        #expect(try decide(["Location": location]) == .follow(HTTPURL(target)))
    }

    @Test func onlyLeavingHTTPSNeedsPermission() throws {
        let plain = try HTTPURL("http://b.example/")
        let fields: HTTPFields = ["Location": "http://b.example/"]
        #expect(try decide(fields) == .refuse(.insecure(plain)))
        #expect(try decide(fields, policy: RedirectRules(allowsInsecure: true)) == .follow(plain))
        #expect(try decide(fields, at: "http://a.example/") == .follow(plain))
        #expect(
            try decide(["Location": "https://b.example/"], at: "http://a.example/")
                == .follow(HTTPURL("https://b.example/"))
        )
    }

    @Test(
        arguments: [
            ([:], .missingLocation), (["Location": ""], .missingLocation),
            (["Location": "/a", "Location": "/b"], .ambiguousLocation),
            (["Location": "ftp://b/"], .unsupportedScheme("ftp")),
            (["Location": "file:///etc/passwd"], .unsupportedScheme("file")),
            (["Location": "javascript:alert(1)"], .unsupportedScheme("javascript")),
            (["Location": "https://"], .invalidLocation(.missingHost)),
            (["Location": "https://b c/"], .invalidLocation(.invalidHost)),
            (["Location": "https://b:x/"], .invalidLocation(.invalidPort)),
            (["Location": "/a\0b"], .invalidLocation(.controlCharacter)),
            (["Location": "/a\r\nX: y"], .invalidLocation(.controlCharacter)),
        ] as [(HTTPFields, RedirectFault)]
    )
    func anInvalidLocationIsRefused(fields: HTTPFields, fault: RedirectFault) throws {
        #expect(try decide(fields) == .refuse(fault))
        #expect(!fault.description.isEmpty)
    }

    @Test func aRepeatedLocationCountsOnce() throws {
        let fields: HTTPFields = ["Location": "/a", "Location": "/a"]
        #expect(try decide(fields) == .follow(HTTPURL("https://a.example/a")))
    }

    @Test(arguments: ["/dir/file", "#part", "/first", "https://A.example:443/first#x", "https://u:p@a.example/first"])
    func aVisitedURLIsALoop(location: String) throws {
        let decision = try decide(
            ["Location": location],
            after: ["https://a.example/first", "https://a.example/second"]
        )
        guard case .refuse(.loop) = decision else {
            Issue.record("\(decision)")
            return
        }
    }

    @Test func redirectsMayHaveToStayAtTheirOrigin() throws {
        let (rules, other) = (RedirectRules(staysAtOrigin: true), try HTTPURL("https://b.example/x"))
        for location in ["/x", "https://a.example:443/x"] {
            #expect(try decide(["Location": location], policy: rules) == .follow(HTTPURL("https://a.example/x")))
        }
        #expect(try decide(["Location": "https://b.example/x"], policy: rules) == .refuse(.otherOrigin(other)))
        #expect(
            try decide(["Location": "https://a.example/x"], at: "http://a.example/", policy: rules)
                == .refuse(.otherOrigin(HTTPURL("https://a.example/x")))
        )
    }

    @Test(arguments: [0, -1, Int.min]) func noneMayBeFollowed(most: Int) throws {
        let rules = RedirectRules(maximumHops: most, allowsInsecure: true)
        #expect(try decide(["Location": "/x"], policy: rules) == .refuse(.notWanted(HTTPURL("https://a.example/x"))))
        #expect(try decide([:], policy: rules) == .refuse(.missingLocation))
    }

    @Test func theTwentyFirstHopIsRefused() throws {
        let earlier = (0..<20).map { "https://a.example/\($0)" }
        #expect(try decide(["Location": "/x"], after: earlier) == .refuse(.tooManyHops(20)))
        #expect(
            try decide(["Location": "/x"], after: Array(earlier.dropLast())) == .follow(HTTPURL("https://a.example/x"))
        )
    }

    @Test(arguments: [
        (300, false), (301, true), (302, true), (303, true), (304, false), (305, false), (306, false), (307, true),
        (308, true), (200, false),
    ])
    func fiveStatusesAreRedirects(status: Int, isRedirect: Bool) {
        #expect(RedirectRules.isRedirect(status) == isRedirect)
    }

    @Test(arguments: [
        "Authorization", "Proxy-Authorization", "Cookie", "cookie2", "X-Auth", "X-API-Key", "X-Amz-Security-Token",
        "client-secret", "SESSION", "X-Password", "Credentials", "X-Signature", "X-Mine", "x-mine", "X-MINE",
    ])
    func aSecretStaysWithinItsOrigin(name: String) throws {
        let origin = try HTTPURL("https://a.example/x")
        for other in [
            "http://a.example/x", "https://b.example/x", "https://a.example:444/x", "https://sub.a.example/x",
        ] {
            #expect(try !RedirectRules.travels(name, from: origin, to: HTTPURL(other), privateNames: ["x-Mine"]))
        }
        let near = try HTTPURL("https://a.example:443/y")
        #expect(RedirectRules.travels(name, from: origin, to: near, privateNames: ["x-Mine"]))
    }

    @Test(arguments: ["Range", "If-Range", "User-Agent", "Accept", "Accept-Encoding", "Referer", "X-Yours"])
    func otherHeadersAreForwarded(name: String) throws {
        let travels = try RedirectRules.travels(
            name,
            from: HTTPURL("https://a.example/"),
            to: HTTPURL("https://b.example/"),
            privateNames: ["x-mine"]
        )
        #expect(travels)
    }

    @Test(arguments: [
        ("X-A", "one", true), ("X-A", "", true), ("X-A", "a\tb é", true), ("", "a", false), ("X A", "a", false),
        ("X-A:", "a", false), ("X-A\r\n", "a", false), ("X-A", "a\r\nX-B: b", false), ("X-A", "a\nb", false),
        ("X-A", "a\0", false), ("X-A", "\u{7F}", false), ("Ü", "a", false),
    ])
    func aFieldWithALineBreakIsNotSent(name: String, value: String, maySend: Bool) {
        #expect(HTTPFields.maySend(name: name, value: value) == maySend)
    }
}
