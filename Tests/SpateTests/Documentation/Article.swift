import Foundation

/// A page of the documentation that tests compare with the code.
///
/// With `SPATE_WRITE_DOCUMENTATION=1` in the environment, the tests write the page instead.
struct Article {
    let file: URL

    static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    static let isWritten = ProcessInfo.processInfo.environment["SPATE_WRITE_DOCUMENTATION"] == "1"
    static let advice: String = "run: SPATE_WRITE_DOCUMENTATION=1 swift test --filter Documentation"

    /// - Parameter path: relative to the package.
    init(_ path: String) {
        file = Self.package.appending(path: path)
    }

    init(named name: String) {
        self.init("Sources/Spate/Spate.docc/\(name).md")
    }

    func text() throws -> String { try String(contentsOf: file, encoding: .utf8) }

    /// Whether the page has this text. When pages are written, it has from now on.
    func reads(_ text: String) throws -> Bool {
        if try self.text() == text { return true }
        guard Self.isWritten else { return false }
        try text.write(to: file, atomically: true, encoding: .utf8)
        return true
    }

    /// All Swift files in a folder of the package, sorted by path.
    static func sources(in folder: String) throws -> [(path: String, text: String)] {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: package.appending(path: folder).path)
        return try paths.filter { $0.hasSuffix(".swift") }.sorted().map { path in
            (path, try String(contentsOf: package.appending(path: "\(folder)/\(path)"), encoding: .utf8))
        }
    }
}
