import SpateFilePaths
import Testing

@Suite struct FilePathTests {
    private static let composed: FilePath = "caf\u{E9}"
    private static let decomposed: FilePath = "cafe\u{301}"

    @Test func formsThatLookAlikeAreTwo() {
        #expect(Self.composed.text == Self.decomposed.text)
        #expect(Self.composed != Self.decomposed)
        #expect(Set([Self.composed, Self.decomposed, "caf\u{E9}"]).count == 2)
        #expect([Self.composed: 1, Self.decomposed: 2][Self.composed] == 1)
        #expect([FilePath("a"), ""].map { $0 == "" } == [false, true])
        #expect(Self.composed.hashValue == FilePath("caf\u{E9}").hashValue)
    }

    @Test func theOrderIsThatOfTheBytes() {
        // As strings, the first two are equal, and the next is between others.
        let sorted: [FilePath] = ["", "Z", "a", "ab", "a\u{301}", "b", "\u{E1}", "\u{1F600}"]
        #expect(sorted.reversed().sorted() == sorted)
        for (first, second) in zip(sorted, sorted.dropFirst()) { #expect(first < second && !(second < first)) }
        #expect(!(Self.composed < Self.composed))
    }

    /// Two values in a row are not others that are split elsewhere.
    @Test func aHashKnowsWhereANameEnds() {
        let pairs: [[FilePath]] = [["a", "bc"], ["ab", "c"], ["", "abc"], ["abc", ""]]
        #expect(Set(pairs.map(\.hashValue)).count == pairs.count)
    }

    @Test(
        arguments: [
            ("/a/b/c", "/a/b"), ("/a/b//", "/a"), ("/a", "/"), ("/a//", "/"), ("/", nil), ("//", nil), ("a", nil),
            ("a/b", "a"), ("", nil),
            // Marks that follow a slash, and signs that precede one, are one Character with it.
            ("/a/\u{301}b", "/a"), ("/\u{600}/b", "/\u{600}"), ("/\u{600}/", "/"),
        ] as [(FilePath, FilePath?)]
    )
    func theFolderAbove(path: FilePath, parent: FilePath?) {
        #expect(path.parent == parent)
    }

    @Test func partsAreBetweenSlashesWhateverFollows() {
        let path: FilePath = "a/\u{301}b/\u{600}//c"
        #expect(path.names == ["a", "\u{301}b", "\u{600}", "", "c"])
        #expect(FilePath("a/\u{301}b").lastName == "\u{301}b" && FilePath("a").lastName == "a")
        #expect(FilePath("a/").lastName == "")
        #expect(FilePath("/x").appending("\u{301}y") == "/x/\u{301}y" && FilePath("/").appending("y") == "/y")
        #expect(FilePath("/x/\u{301}y").below("/x") == "\u{301}y" && FilePath("/x/y").below("/") == "x/y")
        #expect(FilePath("/xy").below("/x") == nil && FilePath("/x").below("/x") == nil)
        #expect(FilePath("/cafe\u{301}/y").below("/caf\u{E9}") == nil)
    }
}
