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
        #expect(names.isTaken("/d/file.zip", from: second) && !names.isTaken("/d/file.zip", from: first))
        let variant = NameClaims.path(FileName(derivedFrom: second).variant(URLHash(second).digits8).text, in: "/d")
        #expect(names.isTaken(variant, from: first) && !names.isTaken(variant, from: second))
    }

    @Test func oneNameInTwoFoldersIsTwoNames() throws {
        let (first, second) = (try key("http://a.test/file.zip"), try key("http://b.test/file.zip"))
        var names = NameClaims()
        names.claim(for: first, in: "/d", naming: .derived)
        names.claim(for: second, in: "/e", naming: .derived)
        #expect(names.isTaken("/d/file.zip", from: second) && names.isTaken("/e/file.zip", from: first))
    }

    @Test func aChosenNameThatIsTakenStaysWithItsOwner() throws {
        let (first, second) = (try key("http://a.test/1"), try key("http://b.test/2"))
        var names = NameClaims()
        let naming = FileNaming.explicit(try FileName(explicit: "name"))
        names.claim(for: first, in: "/d", naming: naming)
        names.claim(for: second, in: "/d", naming: naming)
        names.release(second)
        #expect(names.isTaken("/d/name", from: second))
    }

    @Test func claimingAgainIsTrueForTheOwnerAndFalseForOthers() throws {
        let (first, second) = (try key("http://a.test/1"), try key("http://b.test/2"))
        var names = NameClaims()
        #expect(names.claim("/d/x", for: first) == true)
        #expect(names.claim("/d/x", for: first) == true)
        #expect(names.claim("/d/x", for: second) == false)
    }

    @Test func whoTakesAnotherNameLetsGoOfTheFirst() throws {
        let (first, second) = (try key("http://a.test/1"), try key("http://b.test/2"))
        var names = NameClaims()
        #expect(names.claim("/d/x", for: first) == true)
        #expect(names.claim("/d/y", for: first) == true)
        #expect(names.claim("/d/x", for: second) == true)
        #expect(names.claim("/d/y", for: second) == false)
    }

    @Test func whoIsRefusedAnotherNameKeepsTheFirst() throws {
        let (first, second, third) = (
            try key("http://a.test/1"), try key("http://b.test/2"), try key("http://c.test/3")
        )
        var names = NameClaims()
        #expect(names.claim("/d/x", for: first) == true)
        #expect(names.claim("/d/y", for: second) == true)
        #expect(names.claim("/d/y", for: first) == false)
        #expect(names.isTaken("/d/x", from: third))
    }

    @Test func aReleasedNameIsFreeAndAnotherReleaseDoesNoHarm() throws {
        let (first, second) = (try key("http://a.test/1"), try key("http://b.test/2"))
        var names = NameClaims()
        #expect(names.claim("/d/x", for: first) == true)
        names.release(first)
        #expect(names.claim("/d/x", for: second) == true)
        names.release(first)
        #expect(names.isTaken("/d/x", from: first))
    }
}
