package import Foundation

/// A text in a file of the package that the code makes: a page, or what a screen shows.
///
/// With `SPATE_UPDATE_SNAPSHOTS=1` in the environment, tests write the files instead of comparing them.
package struct Snapshot {
    /// The folder of the package.
    package static let package = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    package let url: URL

    /// - Parameter path: relative to the package.
    package init(_ path: String) { url = Self.package.appending(path: path) }

    /// What the file has.
    package func text() throws -> String { try String(contentsOf: url, encoding: .utf8) }

    /// The first line that is not as the code makes it, and how to write the file again. `nil` if there is none.
    package func difference(from made: String) throws -> String? {
        if ProcessInfo.processInfo.environment["SPATE_UPDATE_SNAPSHOTS"] == "1" {
            try made.write(to: url, atomically: true, encoding: .utf8)
        }
        let committed = try text()
        guard made != committed else { return nil }
        let lines = [made, committed].map { $0.split(separator: "\n", omittingEmptySubsequences: false) }
        let number =
            zip(lines[0], lines[1]).enumerated().first { $1.0 != $1.1 }?.offset ?? lines.map(\.count).min() ?? 0
        let (new, old) = (
            lines[0].dropFirst(number).first ?? "(the end)", lines[1].dropFirst(number).first ?? "(the end)"
        )
        return """
            line \(number + 1) of \(url.lastPathComponent) is out of date; if that is right, run the test with \
            SPATE_UPDATE_SNAPSHOTS=1
            in the file: \(old)
            now:         \(new)
            """
    }
}
