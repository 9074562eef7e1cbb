import HTTPResumption
import PartialFiles
import Testing

@testable import Spate

@Suite struct NameClaimsTests {
    private func key(_ text: String) throws -> HTTPURL { try HTTPURL(text) }

    @Test func twoThatWantOneNameAreToldApart() throws {
        let (first, second) = (try key("http://a.test/file.zip"), try key("http://b.test/file.zip"))
        var names = NameClaims()
        names.claim(for: first, in: "/d", naming: .derived)
        names.claim(for: second, in: "/d", naming: .derived)
        #expect(names.isTaken("file.zip", in: "/d", from: second) && !names.isTaken("file.zip", in: "/d", from: first))
        let variant = FileName(derivedFrom: second).variant(URLHash(second).digits8).text
        #expect(names.isTaken(variant, in: "/d", from: first) && !names.isTaken(variant, in: "/d", from: second))
    }

    @Test func oneNameInTwoFoldersIsTwoNames() throws {
        let (first, second) = (try key("http://a.test/file.zip"), try key("http://b.test/file.zip"))
        var names = NameClaims()
        names.claim(for: first, in: "/d", naming: .derived)
        names.claim(for: second, in: "/e", naming: .derived)
        #expect(names.isTaken("file.zip", in: "/d", from: second) && names.isTaken("file.zip", in: "/e", from: first))
    }

    @Test func aChosenNameThatIsTakenStaysWithItsOwner() throws {
        let (first, second) = (try key("http://a.test/1"), try key("http://b.test/2"))
        var names = NameClaims()
        let naming = FileNaming.explicit(try FileName(explicit: "name"))
        names.claim(for: first, in: "/d", naming: naming)
        names.claim(for: second, in: "/d", naming: naming)
        names.release(second)
        #expect(names.isTaken("name", in: "/d", from: second))
    }

    @Test func claimingAgainIsTrueForTheOwnerAndFalseForOthers() throws {
        let (first, second) = (try key("http://a.test/1"), try key("http://b.test/2"))
        var names = NameClaims()
        #expect(names.claim("x", in: "/d", for: first) == true)
        #expect(names.claim("x", in: "/d", for: first) == true)
        #expect(names.claim("x", in: "/d", for: second) == false)
    }

    @Test func whoTakesAnotherNameLetsGoOfTheFirst() throws {
        let (first, second) = (try key("http://a.test/1"), try key("http://b.test/2"))
        var names = NameClaims()
        #expect(names.claim("x", in: "/d", for: first) == true)
        #expect(names.claim("y", in: "/d", for: first) == true)
        #expect(names.claim("x", in: "/d", for: second) == true)
        #expect(names.claim("y", in: "/d", for: second) == false)
    }

    @Test func whoIsRefusedAnotherNameKeepsTheFirst() throws {
        let (first, second, third) = (
            try key("http://a.test/1"), try key("http://b.test/2"), try key("http://c.test/3")
        )
        var names = NameClaims()
        #expect(names.claim("x", in: "/d", for: first) == true)
        #expect(names.claim("y", in: "/d", for: second) == true)
        #expect(names.claim("y", in: "/d", for: first) == false)
        #expect(names.isTaken("x", in: "/d", from: third))
    }

    @Test func aReleasedNameIsFreeAndAnotherReleaseDoesNoHarm() throws {
        let (first, second) = (try key("http://a.test/1"), try key("http://b.test/2"))
        var names = NameClaims()
        #expect(names.claim("x", in: "/d", for: first) == true)
        names.release(first)
        #expect(names.claim("x", in: "/d", for: second) == true)
        names.release(first)
        #expect(names.isTaken("x", in: "/d", from: first))
    }
}
