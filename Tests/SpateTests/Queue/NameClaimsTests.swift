import SpateFilePaths
import SpateHTTPSyntax
import SpatePartialFiles
import Testing

@testable import Spate

/// The names of downloads that are known by their URLs.
private struct Claims {
    private var names = NameClaims()
    private var indices: [HTTPURL: Int] = [:]

    private mutating func index(_ key: HTTPURL) -> Int {
        if indices[key] == nil { indices[key] = indices.count }
        return indices[key] ?? 0
    }

    mutating func claim(for key: HTTPURL, in folder: FilePath, naming: FileNaming) {
        names.claim(FileClaim(key, in: folder, naming: naming), by: index(key))
    }

    mutating func claim(_ name: FilePath, in folder: FilePath, for key: HTTPURL) -> Bool {
        names.claim(name, in: folder, by: index(key))
    }

    func isTaken(_ name: FilePath, in folder: FilePath, from key: HTTPURL) -> Bool {
        names.isTaken(name, in: folder, for: indices[key])
    }

    mutating func release(_ key: HTTPURL) {
        names.release(index(key))
    }
}

@Suite struct NameClaimsTests {
    private let first: HTTPURL
    private let second: HTTPURL
    private let third: HTTPURL
    private var names = Claims()

    init() throws {
        first = try HTTPURL("http://a.test/file.zip")
        second = try HTTPURL("http://b.test/file.zip")
        third = try HTTPURL("http://c.test/file.zip")
    }

    private mutating func claims(_ name: FilePath, for key: HTTPURL) -> Bool { names.claim(name, in: "/d", for: key) }

    @Test mutating func twoThatWantOneNameGetDifferentOnes() {
        for key in [first, second] { names.claim(for: key, in: "/d", naming: .derived) }
        #expect(names.isTaken("file.zip", in: "/d", from: second) && !names.isTaken("file.zip", in: "/d", from: first))
        let variant = FileName(derivedFrom: second).variant(URLHash(second).digits8).path
        #expect(names.isTaken(variant, in: "/d", from: first) && !names.isTaken(variant, in: "/d", from: second))
    }

    @Test mutating func oneNameInTwoFoldersIsTwoNames() {
        names.claim(for: first, in: "/d", naming: .derived)
        names.claim(for: second, in: "/e", naming: .derived)
        #expect(names.isTaken("file.zip", in: "/d", from: second) && names.isTaken("file.zip", in: "/e", from: first))
    }

    @Test mutating func aChosenNameThatIsTakenStaysWithItsOwner() throws {
        let naming = FileNaming.explicit(try FileName(explicit: "name"))
        for key in [first, second] { names.claim(for: key, in: "/d", naming: naming) }
        names.release(second)
        #expect(names.isTaken("name", in: "/d", from: second))
    }

    @Test mutating func aDownloadThatTakesAnotherNameGivesUpTheFirst() {
        let claims = [
            claims("x", for: first), claims("y", for: first), claims("x", for: second), claims("y", for: second),
        ]
        #expect(claims == [true, true, true, false])
    }

    @Test mutating func whoIsRefusedAnotherNameKeepsTheFirst() {
        let claims = [claims("x", for: first), claims("y", for: second), claims("y", for: first)]
        #expect(claims == [true, true, false] && names.isTaken("x", in: "/d", from: third))
    }

    @Test mutating func aReleasedNameIsFreeAndAnotherReleaseDoesNoHarm() {
        let isFirst = claims("x", for: first)
        names.release(first)
        let isSecond = claims("x", for: second)
        names.release(first)
        #expect(isFirst && isSecond && names.isTaken("x", in: "/d", from: first))
    }
}
