import Testing

@testable import Spate

/// The list of a request's fields, and the pages that explain it.
@Suite struct RequestFieldPageTests {
    /// The words of a page, in the order of the cases below.
    private static let pages: [(path: String, differs: [String], joining: [String])] = [
        ("RequestFields", ["no", "yes", "one way"], ["the first's stays", "takes effect", "conflict"]),
        ("RequestFields.zh-CN", ["否", "是", "单向"], ["沿用先到的请求", "生效", "冲突"]),
    ]

    @Test(arguments: pages.indices) func thePageSaysOfEveryFieldWhatTheCodeDoes(index: Int) throws {
        let page = Self.pages[index]
        let lines = try Article("Documentation/\(page.path).md").text().split(separator: "\n")
        let rows = lines.filter { $0.hasPrefix("| `") }.map { line in
            line.split(separator: "|").map { String($0.dropFirst().dropLast()) }
        }
        #expect(rows.map(\.first) == RequestField.all.map { "`\($0.name)`" })
        for (row, field) in zip(rows, RequestField.all) {
            let (differs, joining) =
                switch field.joining {
                case .keepsFirst: (0, 0)
                case .takesEffect: (0, 1)
                case .conflictOfWhole, .conflict(_, .different, _, _): (1, 2)
                case .conflict: (2, 2)
                }
            let queue = row[1].replacing("`、`", with: "`, `")
            #expect(queue == field.journalName.map { "`\($0.replacing(", ", with: "`, `"))`" } ?? "–")
            #expect(row[2] == field.key.map { "`\($0.stringValue)`" } ?? "–")
            #expect(row[3] == page.differs[differs] && row[4].hasPrefix(page.joining[joining]), "\(field.name)")
        }
    }

    /// A new option needs an entry in the list.
    @Test func everyOptionOfARequestIsAField() {
        let options = Mirror(reflecting: RequestOptions()).children.compactMap(\.label).map { label in
            let name = label.trimmingPrefix("_").trimmingPrefix("given")
            return name.prefix(1).lowercased() + name.dropFirst()
        }
        // It is another name for a checksum.
        #expect(Set(options) == Set(RequestField.all.map(\.name)).subtracting(["sha256"]))
    }

    @Test func noTwoFieldsAreWrittenInTheSamePlace() {
        // A path is a name with slashes.
        let names = RequestField.all.filter { $0.name != "relativePath" }.compactMap(\.journalName).flatMap {
            $0.split(separator: ", ")
        }
        let keys = RequestField.all.compactMap(\.key?.stringValue)
        #expect(Set(names).count == names.count && Set(keys).count == keys.count && !keys.contains("url"))
    }
}
