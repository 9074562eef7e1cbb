import Foundation
import TestSupport
import Testing

@testable import spate_benchmark

@Suite struct SourceFilesTests {
    private let scenario = Scenario("name", "explanation", files: 3, of: 100_000)

    @Test func whatIsTheSameIsRight() throws {
        let (served, fetched) = (try TemporaryFolder(), try TemporaryFolder())
        let source = try fetchedSource(served, fetched)
        try source.check(against: fetched)
        let contents = try source.names.map { try Data(contentsOf: served.url($0)) }
        #expect(contents.allSatisfy { $0.count == 100_000 } && Set(contents).count == 3)
    }

    @Test(arguments: [0, 50_000, 99_999])
    func oneOtherByteIsFound(place: Int) throws {
        let (served, fetched) = (try TemporaryFolder(), try TemporaryFolder())
        let source = try fetchedSource(served, fetched)
        let file = fetched.url(try #require(source.names.last))
        var bytes = try Data(contentsOf: file)
        bytes[place] ^= 1
        try bytes.write(to: file)
        #expect(throws: WorkFailure.self) { try source.check(against: fetched) }
    }

    @Test func aFileThatIsMissingOrOfAnotherLengthIsFound() throws {
        let (served, fetched) = (try TemporaryFolder(), try TemporaryFolder())
        let source = try fetchedSource(served, fetched)
        let file = fetched.url(try #require(source.names.first))
        try Data(contentsOf: file).dropLast().write(to: file)
        #expect(throws: WorkFailure.self) { try source.check(against: fetched) }
        try FileManager.default.removeItem(at: file)
        #expect(throws: WorkFailure.self) { try source.check(against: fetched) }
    }

    @Test func theFilesGoAwayWithTheirObject() throws {
        let (served, fetched) = (try TemporaryFolder(), try TemporaryFolder())
        do { _ = try fetchedSource(served, fetched) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: served.path) == [])
    }

    private func fetchedSource(_ served: TemporaryFolder, _ fetched: TemporaryFolder) throws -> SourceFiles {
        let source = try SourceFiles(of: scenario, in: served)
        for name in source.names { try FileManager.default.copyItem(at: served.url(name), to: fetched.url(name)) }
        return source
    }
}
