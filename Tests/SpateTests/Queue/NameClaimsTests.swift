import HTTPSyntax
import PartialFiles
import Testing

@testable import Spate

/// Names, and what each download has of them.
private struct Claims {
    private var names = NameClaims()
    private var held: [HTTPURL: NameClaims.Name] = [:]

    mutating func claim(for key: HTTPURL, in folder: String, naming: FileNaming) {
        names.claim(for: key, in: folder, naming: naming, held: &held[key])
    }

    mutating func claim(_ name: String, in folder: String, for key: HTTPURL) -> Bool {
        names.claim(name, in: folder, for: key, held: &held[key])
    }

    func isTaken(_ name: String, in folder: String, from key: HTTPURL) -> Bool {
        names.isTaken(name, in: folder, from: key)
    }

    mutating func release(_ key: HTTPURL) {
        names.release(&held[key])
    }
}

@Suite struct NameClaimsTests {
    private func key(_ text: String) throws -> HTTPURL { try HTTPURL(text) }

    @Test func twoThatWantOneNameGetDifferentOnes() throws {
        let (first, second) = (try key("http://a.test/file.zip"), try key("http://b.test/file.zip"))
        var names = Claims()
        names.claim(for: first, in: "/d", naming: .derived)
        names.claim(for: second, in: "/d", naming: .derived)
        #expect(names.isTaken("file.zip", in: "/d", from: second) && !names.isTaken("file.zip", in: "/d", from: first))
        let variant = FileName(derivedFrom: second).variant(URLHash(second).digits8).text
        #expect(names.isTaken(variant, in: "/d", from: first) && !names.isTaken(variant, in: "/d", from: second))
    }

    @Test func oneNameInTwoFoldersIsTwoNames() throws {
        let (first, second) = (try key("http://a.test/file.zip"), try key("http://b.test/file.zip"))
        var names = Claims()
        names.claim(for: first, in: "/d", naming: .derived)
        names.claim(for: second, in: "/e", naming: .derived)
        #expect(names.isTaken("file.zip", in: "/d", from: second) && names.isTaken("file.zip", in: "/e", from: first))
    }

    @Test func aChosenNameThatIsTakenStaysWithItsOwner() throws {
        let (first, second) = (try key("http://a.test/1"), try key("http://b.test/2"))
        var names = Claims()
        let naming = FileNaming.explicit(try FileName(explicit: "name"))
        names.claim(for: first, in: "/d", naming: naming)
        names.claim(for: second, in: "/d", naming: naming)
        names.release(second)
        #expect(names.isTaken("name", in: "/d", from: second))
    }

    @Test func claimingAgainIsTrueForTheOwnerAndFalseForOthers() throws {
        let (first, second) = (try key("http://a.test/1"), try key("http://b.test/2"))
        var names = Claims()
        #expect(names.claim("x", in: "/d", for: first) == true)
        #expect(names.claim("x", in: "/d", for: first) == true)
        #expect(names.claim("x", in: "/d", for: second) == false)
    }

    @Test func aDownloadThatTakesAnotherNameGivesUpTheFirst() throws {
        let (first, second) = (try key("http://a.test/1"), try key("http://b.test/2"))
        var names = Claims()
        #expect(names.claim("x", in: "/d", for: first) == true)
        #expect(names.claim("y", in: "/d", for: first) == true)
        #expect(names.claim("x", in: "/d", for: second) == true)
        #expect(names.claim("y", in: "/d", for: second) == false)
    }

    @Test func whoIsRefusedAnotherNameKeepsTheFirst() throws {
        let (first, second, third) = (
            try key("http://a.test/1"), try key("http://b.test/2"), try key("http://c.test/3")
        )
        var names = Claims()
        #expect(names.claim("x", in: "/d", for: first) == true)
        #expect(names.claim("y", in: "/d", for: second) == true)
        #expect(names.claim("y", in: "/d", for: first) == false)
        #expect(names.isTaken("x", in: "/d", from: third))
    }

    @Test func aReleasedNameIsFreeAndAnotherReleaseDoesNoHarm() throws {
        let (first, second) = (try key("http://a.test/1"), try key("http://b.test/2"))
        var names = Claims()
        #expect(names.claim("x", in: "/d", for: first) == true)
        names.release(first)
        #expect(names.claim("x", in: "/d", for: second) == true)
        names.release(first)
        #expect(names.isTaken("x", in: "/d", from: first))
    }
}
