import HTTPSyntax
import Testing

@Suite struct DuplicateLinksTests {
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
        let found = DuplicateLinks.urls(in: fields, from: url, allowsInsecure: false)
        #expect(found.map(\.text) == expected)
    }

    @Test func severalFieldsAreOneList() throws {
        var fields: HTTPFields = ["Link": "<http://b/f>; rel=duplicate; pri=2"]
        fields.append(name: "link", value: "<http://c/f>; rel=duplicate; pri=1")
        for (url, allowsInsecure) in [("http://a/f", false), ("https://a/f", true)] {
            let found = DuplicateLinks.urls(in: fields, from: try HTTPURL(url), allowsInsecure: allowsInsecure)
            #expect(found.map(\.text) == ["http://c/f", "http://b/f"])
        }
    }

    @Test func aServerIsNotBelievedAnyNumber() throws {
        let links = (1...100).map { "<https://host\($0)/f>; rel=duplicate; pri=\(101 - $0)" }
        let fields: HTTPFields = ["Link": links.joined(separator: ", ")]
        let found = DuplicateLinks.urls(in: fields, from: try HTTPURL("https://a/f"), allowsInsecure: false)
        #expect(found.map(\.text) == (0..<DuplicateLinks.most).map { "https://host\(100 - $0)/f" })
    }
}
