import Foundation
import Testing

@testable import SpateProgram

@Suite struct AddressTests {
    @Test(arguments: [
        [
            "http://host/a", "HTTP://HOST/a", "http://host:80/a", "http://host:/a", "http://u:p@host/a",
            "http://host/a#b",
        ],
        ["https://host/", "https://host", "https://host:443", "https://Host:443/#"],
        ["https://host/?q", "https://host?q"],
        ["http://[::1]/a", "http://[::1]:80/a"],
    ])
    func spellingsOfOneURLHaveOneKey(spellings: [String]) throws {
        let keys = try Set(spellings.map { try Address($0).key })
        #expect(keys.count == 1, "\(keys)")
    }

    @Test func aURLGivenTwiceCountsOnceAndTheFirstSpellingStays() throws {
        var arguments = Arguments()
        arguments.urls = ["http://Host:80/a", "http://host/b", "http://host/x/../a", "http://host/a"]
        #expect(try arguments.addresses().map(\.shown) == ["http://Host:80/a", "http://host/b"])
    }

    @Test func differentURLsHaveDifferentKeys() throws {
        let texts = [
            "http://host/a", "https://host/a", "http://host/A", "http://host/a/", "http://host/a?", "http://host:443/a",
            "http://host:8080/a", "http://host/a?q=1", "http://[::1]/a", "http://[::1]:8080/a",
        ]
        #expect(try Set(texts.map { try Address($0).key }).count == texts.count)
    }

    @Test(arguments: [
        ("", "must begin with https://"),
        ("foo", "must begin with https://"),
        ("example.com/a", "did you mean https://example.com/a?"),
        ("localhost:8080/a", "did you mean http://localhost:8080/a?"),
        ("http:/host/a", "did you mean http://host/a?"),
        ("https//host/a", "did you mean https://host/a?"),
        ("https:/u:secret@host/a", "must begin with https://"),
        ("htps://host/a", "did you mean https?"),
        ("magnet:?xt=x", "aria2c"),
        ("getty.edu", "did you mean https://getty.edu?"),
        ("ftp://host/a", "only http and https are, not ftp"),
        ("file:///etc/passwd", "only http and https are, not file"),
        ("http://", "names no host"),
        ("https:///a", "names no host"),
        ("http://a b/", "is not a URL"),
        ("http://a%2Fb/", "host has an invalid character"),
        ("http://host:0/", "from 1 to 65535"),
        ("http://host:65536/", "from 1 to 65535"),
        ("http://host/a\r\nX: y", "control character"),
        ("http://host/a\u{0}", "control character"),
    ])
    func whatIsNoURLIsRefusedWithAReason(text: String, part: String) {
        let error = #expect(throws: UsageError.self) { try Address(text) }
        #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
    }

    @Test(arguments: [
        ("https://user:secret@host/a", "https://host/a"),
        ("https://secret@host:8080/a@b?c@d", "https://host:8080/a@b?c@d"),
        ("https://host/a@b", "https://host/a@b"),
        ("https://user:secret@host", "https://host"),
    ])
    func credentialsAreNotShown(text: String, shown: String) throws {
        #expect(try Address(text).shown == shown)
    }

    @Test(arguments: [
        "ftp://user:secret@host/a", "user:secret@host/a", "http://user:secret@host:0/a", "http://user:se/secret@/a",
        "http://user:secret@a b/", "http://user:secret@host/a\n", "user:secret@example.com",
    ])
    func credentialsAreNotShownOfWhatIsRefused(text: String) {
        let error = #expect(throws: UsageError.self) { try Address(text) }
        #expect(error?.message.contains("secret") == false, "\(error?.message ?? "")")
    }

    @Test func aLineForPeopleHasNoControlCharacters() {
        #expect(Address.oneLine("a\r\nb\u{1B}[2Jc\u{2028}d\u{9B}e") == "a  b [2Jc d e")
    }
}
