import SpatePartialFiles
import SpateTestSupport
import Testing

/// The pages that explain the attributes of a file.
@Suite struct AttributePageTests {
    @Test(arguments: [
        "Documentation/Attributes.md", "Documentation/Attributes.zh-CN.md",
        "Sources/Spate/Spate.docc/HowResumingWorks.md",
    ])
    func thePageExplainsEveryAttributeOfAFileOnce(page: String) throws {
        let rows = try Snapshot(page).text().matches(of: /\n\| `(user\.[a-z.-]+)` \|/).map { String($0.1) }
        let known = Set(RecordField.allCases.map(\.rawValue))
        // A folder has one, too.
        #expect(rows.filter { !["user.spate.folder", "user.spate.paths"].contains($0) }.sorted() == known.sorted())
    }
}
