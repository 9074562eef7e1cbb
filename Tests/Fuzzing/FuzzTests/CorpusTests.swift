import Foundation
import FuzzTargets
import Testing

/// Every seed and every past finding, on each change.
@Suite struct CorpusTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Corpus")

    @Test(arguments: FuzzTarget.all)
    func noInputOfTheCorpusBreaksAClaim(target: FuzzTarget) throws {
        let folder = Self.folder.appending(path: target.name)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.count >= 10)
        for name in names.sorted() {
            let bytes = try Data(contentsOf: folder.appending(path: name))
            #expect(throws: Never.self, "\(target.name)/\(name)") { try target.check([UInt8](bytes)) }
        }
    }

    /// What a folder's name is mistaken in would be read by nobody.
    @Test func everyFolderOfTheCorpusIsThatOfATarget() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(Set(names) == Set(FuzzTarget.all.map(\.name)))
    }

    @Test(arguments: FuzzTarget.all)
    func noTargetBreaksOnNothingOrNoise(target: FuzzTarget) {
        #expect(throws: Never.self) { try target.check([]) }
        for byte in UInt8.min...UInt8.max {
            #expect(throws: Never.self, "\(byte)") { try target.check([byte]) }
            #expect(throws: Never.self, "\(byte)") { try target.check(Array(repeating: byte, count: 300)) }
        }
    }
}
