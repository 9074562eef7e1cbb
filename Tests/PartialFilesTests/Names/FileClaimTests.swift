import SpateFilePaths
import SpateHTTPSyntax
import SpatePartialFiles
import Testing

@Suite struct FileClaimTests {
    private func claim(
        _ naming: FileNaming,
        _ address: String = "http://host/x.zip",
        in folder: FilePath = "/d"
    ) throws
        -> FileClaim
    {
        FileClaim(try url(address), in: folder, naming: naming)
    }

    /// In any order.
    private func overlap(_ first: FileClaim, _ second: FileClaim) -> Bool {
        #expect(first.overlaps(second) == second.overlaps(first))
        return first.overlaps(second)
    }

    @Test func claimsOfOneURLOverlapIfTheyShareAName() throws {
        let derived = try claim(.derived)
        let variant = derived.preferred.variant(URLHash(derived.origin).digits8).text
        #expect(try overlap(derived, derived) && overlap(derived, claim(.stated)))
        #expect(try overlap(derived, claim(.named("x.zip"))) && overlap(derived, claim(.named(variant))))
        #expect(try !overlap(derived, claim(.named("y.zip"))) && !overlap(claim(.named("x")), claim(.named("y"))))
    }

    @Test func claimsOfOtherURLsAndFoldersDoNotOverlap() throws {
        let derived = try claim(.derived)
        #expect(try !overlap(derived, claim(.derived, in: "/e")))
        #expect(try !overlap(derived, claim(.derived, "http://other/x.zip")))
        #expect(try !overlap(claim(.named("a")), claim(.named("a"), "http://other/x.zip")))
    }

    /// As `String`s, the two are equal.
    @Test func namesAndFoldersAreComparedByTheirBytes() throws {
        let forms = ["caf\u{E9}", "cafe\u{301}"]
        #expect(try !overlap(claim(.named(forms[0])), claim(.named(forms[1]))))
        #expect(try !overlap(claim(.derived, in: FilePath(forms[0])), claim(.derived, in: FilePath(forms[1]))))
    }

    @Test func everyPartOfEveryNameIsClaimed() throws {
        let claim = try claim(.derived)
        let names = Set(claim.partialNames)
        #expect(names.count == 9)
        for name in claim.names { #expect(names.isSuperset(of: name.partials(of: claim.origin))) }
    }
}
