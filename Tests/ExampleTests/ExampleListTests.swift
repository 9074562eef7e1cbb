import Foundation
import Testing

@Suite struct ExampleListTests {
    private var folder: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Examples")
    }

    @Test func theReadmeListsEveryExample() throws {
        let list = try String(contentsOf: folder.appendingPathComponent("README.md"), encoding: .utf8)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0 != "README.md" }
        #expect(names.count >= 5)
        for name in names { #expect(list.contains("[\(name)](\(name)"), "\(name)") }
        // Every link has a target.
        for match in list.matches(of: /\]\(([^)]+)\)/) {
            #expect(FileManager.default.fileExists(atPath: folder.appendingPathComponent(String(match.1)).path))
        }
    }
}
