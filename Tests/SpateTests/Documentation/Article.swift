import Foundation
import SpateTestSupport

/// A page of the documentation that tests compare with the code.
struct Article {
    let snapshot: Snapshot

    /// - Parameter path: relative to the package.
    init(_ path: String) {
        snapshot = Snapshot(path)
    }

    init(named name: String) {
        self.init("Sources/Spate/Spate.docc/\(name).md")
    }

    func text() throws -> String { try snapshot.text() }

    /// All Swift files in a folder of the package, sorted by path.
    static func sources(in folder: String) throws -> [(path: String, text: String)] {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: Snapshot.package.appending(path: folder).path)
        return try paths.filter { $0.hasSuffix(".swift") }.sorted().map { path in
            (path, try Snapshot("\(folder)/\(path)").text())
        }
    }
}
