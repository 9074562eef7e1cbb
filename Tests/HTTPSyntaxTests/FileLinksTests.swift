import SpateHTTPSyntax
import Testing

@Suite struct FileLinksTests {
    @Test(
        arguments: [
            ("<https://b/f>; rel=duplicate", ["https://b/f"]), ("<https://b/f>;rel=\"duplicate\"", ["https://b/f"]),
            ("<https://b/f> ; REL = \"first Duplicate\" ; geo=de", ["https://b/f"]),
            (
                "<https://b/f>; rel=duplicate; pri=2, <https://c/f>; rel=duplicate; pri=1",
                ["https://c/f", "https://b/f"]
            ),
            ("<https://b/f>; rel=duplicate, <https://c/f>; rel=duplicate; pri=9", ["https://c/f", "https://b/f"]),
            (
                "<https://b/f>; rel=duplicate; pri=0, <https://c/f>; rel=duplicate; pri=9",
                ["https://c/f", "https://b/f"]
            ),
            (
                "<https://b/a,b;c>; rel=duplicate; x=\"a, \\\"; b\"; y, , <../g>; rel=duplicate",
                [
                    "https://b/a,b;c", "https://a/g",
                ]
            ),
            ("<https://b/f>; rel=duplicate; rel=other", ["https://b/f"]),
            // Not of this file, or of no use.
            ("<https://b/f>; rel=other; rel=duplicate", []), ("<https://b/f>; rel=duplicates", []),
            ("<https://b/f>", []), ("<https://b/f>; rel=duplicate; anchor=\"/other\"", []),
            (
                "<https://a/d/f>; rel=duplicate, <https://b/f>; rel=duplicate, <https://b/f>; rel=duplicate",
                ["https://b/f"]
            ),
            ("<ftp://b/f>; rel=duplicate, <https://b/f>; rel=duplicate", ["https://b/f"]),
            ("<http://b/f>; rel=duplicate", []), ("<https:// b/f>; rel=duplicate", []),
            // After what cannot be read nothing is believed.
            ("<https://b/f>; rel=duplicate, https://c/f; rel=duplicate, <https://d/f>; rel=duplicate", ["https://b/f"]),
            ("<https://b/f>; rel=\"duplicate", []), ("<https://b/f; rel=duplicate", []),
            ("<https://b/f>; rel=duplicate x", []),
            ("<", []), ("<>", []), ("", []), (";", []), (",,,", []), ("<https://b/f>;", []),
        ] as [(String, [String])]
    )
    func otherPlacesOfTheFileAreFound(field: String, expected: [String]) throws {
        let fields: HTTPFields = ["Link": field]
        let url = try HTTPURL("https://a/d/f")
        let found = FileLinks.duplicates(in: fields, from: url, allowsInsecure: false)
        #expect(found.map(\.text) == expected)
    }

    @Test func severalFieldsAreOneList() throws {
        var fields: HTTPFields = ["Link": "<http://b/f>; rel=duplicate; pri=2"]
        fields.append(name: "link", value: "<http://c/f>; rel=duplicate; pri=1")
        for (url, allowsInsecure) in [("http://a/f", false), ("https://a/f", true)] {
            let found = FileLinks.duplicates(in: fields, from: try HTTPURL(url), allowsInsecure: allowsInsecure)
            #expect(found.map(\.text) == ["http://c/f", "http://b/f"])
        }
    }

    @Test func aServerIsNotBelievedAnyNumber() throws {
        let links = (1...100).map { "<https://host\($0)/f>; rel=duplicate; pri=\(101 - $0)" }
        let fields: HTTPFields = ["Link": links.joined(separator: ", ")]
        let found = FileLinks.duplicates(in: fields, from: try HTTPURL("https://a/f"), allowsInsecure: false)
        #expect(found.map(\.text) == (0..<FileLinks.most).map { "https://host\(100 - $0)/f" })
    }

    private static let four = "type=\"application/metalink4+xml\""
    private static let three = "type=\"application/metalink+xml\""

    @Test(
        arguments: [
            ("<https://b/f.meta4>; rel=describedby; \(four)", "https://b/f.meta4"),
            (
                "<f.meta4>; rel=\"describedby\"; type=\"Application/Metalink4+XML ; charset=utf-8\"",
                "https://a/d/f.meta4"
            ),
            ("</f.meta4>;REL=\"duplicate DescribedBy\" ; TYPE=application/metalink4+xml", "https://a/f.meta4"),
            ("<?metalink>; \(three); rel=describedby", "https://a/d/f?metalink"),
            // Version 4 first, then the order of the fields.
            ("<3>; rel=describedby; \(three), <4>; rel=describedby; \(four)", "https://a/d/4"),
            ("<a>; rel=describedby; \(four), <b>; rel=describedby; \(four)", "https://a/d/a"),
            ("<https://b/f>; rel=duplicate, <f.asc>; rel=describedby, <4>; rel=describedby; \(four)", "https://a/d/4"),
            // Another relation, another type, another resource, or a URL of no use.
            ("<4>; rel=duplicate; \(four)", nil), ("<4>; rel=describedbyx; \(four)", nil), ("<4>; \(four)", nil),
            ("<4>; rel=describedby", nil), ("<4>; rel=describedby; type=application/xml", nil),
            ("<f.asc>; rel=describedby; type=\"application/pgp-signature\"", nil),
            ("<4>; rel=describedby; \(four); anchor=\"/other\"", nil), ("<>; rel=describedby; \(four)", nil),
            ("<f>; rel=describedby; \(four)", nil), ("<ftp://b/4>; rel=describedby; \(four)", nil),
            ("<http://b/4>; rel=describedby; \(four)", nil), ("<file:///etc/4>; rel=describedby; \(four)", nil),
            ("<http://b/4>; rel=describedby; \(four), <https://b/4>; rel=describedby; \(four)", "https://b/4"),
            ("<4>; rel=describedby; type=\"application/metalink4+xml", nil), ("", nil),
        ] as [(String, String?)]
    )
    func theMetalinkOfTheFileIsFound(field: String, expected: String?) throws {
        let fields: HTTPFields = ["Link": field]
        let url = try HTTPURL("https://a/d/f")
        #expect(FileLinks.metalink(in: fields, from: url, allowsInsecure: false)?.text == expected)
    }

    @Test func aMetalinkOverHTTPNeedsPermissionOrAnHTTPFile() throws {
        let fields: HTTPFields = ["Link": "<http://b/4>; rel=describedby; \(Self.four)"]
        for (url, allowsInsecure) in [("http://a/f", false), ("https://a/f", true)] {
            let found = FileLinks.metalink(in: fields, from: try HTTPURL(url), allowsInsecure: allowsInsecure)
            #expect(found?.text == "http://b/4")
        }
        #expect(FileLinks.metalink(in: [:], from: try HTTPURL("http://a/f"), allowsInsecure: true) == nil)
    }
}
