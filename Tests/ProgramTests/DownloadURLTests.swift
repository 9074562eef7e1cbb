import Foundation
import SpateConsole
import Testing

@testable import SpateProgram

@Suite struct DownloadURLTests {
    @Test func duplicateURLsAreDroppedAndTheFirstSpellingStays() throws {
        var arguments = Arguments()
        arguments.urls = [
            "http://Host:80/a", "http://host/b", "http://host/x/../a", "http://host/a", "http://host/a#b",
        ]
        #expect(try arguments.allItems().map(\.source.shown) == ["http://Host:80/a", "http://host/b"])
    }

    @Test func differentURLsHaveDifferentKeys() throws {
        let texts = [
            "http://host/a", "https://host/a", "http://host/A", "http://host/a/", "http://host/a?", "http://host:443/a",
            "http://host:8080/a", "http://host/a?q=1", "http://[::1]/a", "http://[::1]:8080/a",
        ]
        #expect(try Set(texts.map { try DownloadURL($0).key }).count == texts.count)
    }

    /// Documentation/Messages.md has more.
    @Test(arguments: [
        ("", "must start with https://"), ("foo", "must start with https://"),
        ("https//host/a", "did you mean https://host/a?"), ("https:/u:secret@host/a", "must start with https://"),
        ("getty.edu", "did you mean https://getty.edu?"), ("http://", "names no host"), ("http://a b/", "is not a URL"),
        ("http://a%2Fb/", "host has an invalid character"), ("http://host:0/", "from 1 to 65535"),
        ("http://host/a\r\nX: y", "control character"), ("http://host/a\u{0}", "control character"),
    ])
    func anInvalidURLIsRefusedWithAReason(text: String, part: String) {
        let error = #expect(throws: UsageError.self) { try DownloadURL(text) }
        #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
    }

    @Test(arguments: [
        ("https://user:secret@host/a", "https://host/a"),
        ("https://secret@host:8080/a@b?c@d", "https://host:8080/a@b?c@d"),
        ("https://host/a@b", "https://host/a@b"),
        ("https://user:secret@host", "https://host"),
    ])
    func credentialsAreNotShown(text: String, shown: String) throws {
        #expect(try DownloadURL(text).shown == shown)
    }

    @Test(arguments: [
        "ftp://user:secret@host/a", "user:secret@host/a", "http://user:secret@host:0/a", "http://user:se/secret@/a",
        "http://user:secret@a b/", "http://user:secret@host/a\n", "user:secret@example.com",
    ])
    func aRefusalDoesNotShowCredentials(text: String) {
        let error = #expect(throws: UsageError.self) { try DownloadURL(text) }
        #expect(error?.message.contains("secret") == false, "\(error?.message ?? "")")
    }

    @Test func oneLineHasNoControlCharacters() {
        #expect(PlainText.oneLine("a\r\nb\u{1B}[2Jc\u{2028}d\u{9B}e") == "a  b [2Jc d e")
    }

    @Test(arguments: [
        ("plain/a.b-c", "plain/a.b-c"), ("", "''"), ("a b", "'a b'"), ("it's", #"'it'\''s'"#), ("$x", "'$x'"),
    ])
    func shellWordsAreQuotedIfNecessary(word: String, quoted: String) {
        #expect(PlainText.shellWord(word) == quoted)
    }
}
