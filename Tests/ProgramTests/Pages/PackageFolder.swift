import Foundation
import Testing

/// The folder of the package.
enum PackageFolder {
    static let url = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Compares a generated page with the committed one, or writes it if `SPATE_WRITE_PAGES` is set.
    static func expect(_ page: String, says text: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let page = url.appending(path: page)
        if ProcessInfo.processInfo.environment["SPATE_WRITE_PAGES"] != nil {
            try text.write(to: page, atomically: true, encoding: .utf8)
        }
        let written = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
        let said = text.split(separator: "\n")
        let differing = zip(written, said).first { $0 != $1 }
        #expect(
            differing == nil && written.count == said.count,
            "to write it again, set SPATE_WRITE_PAGES=1",
            sourceLocation: sourceLocation
        )
    }
}
