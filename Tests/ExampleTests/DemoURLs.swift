import Foundation
import SpateTestSupport
import Testing

@testable import SpateDemo

/// A running `spate demo --serve`, and its URLs.
final class DemoURLs: Sendable {
    private let server: ChildProcess
    private let urls: [String: String]

    init() async throws {
        server = try ChildProcess(BuiltProgram.path("spate"), ["demo", "--serve"])
        try await server.waitForOutput(containing: "refused.txt")
        let lines = server.output.split(separator: "\n").compactMap { $0.split(separator: " ").first }
        urls = Dictionary(lines.map { (String($0.split(separator: "/").last ?? ""), String($0)) }) { first, _ in
            first
        }
    }

    func url(_ name: String) throws -> String { try #require(urls[name], "\(name)") }

    func urls(_ names: String...) throws -> [String] { try names.map { try url($0) } }
}

extension DemoFile {
    static func named(_ name: String) throws -> DemoFile { try #require(served.first { $0.name == name }, "\(name)") }

    /// Whether the file is complete and right.
    static func isWhole(_ name: String, in folder: TemporaryFolder, _ path: String? = nil) throws -> Bool {
        DemoVerdict(of: folder.url(path ?? name), against: try named(name).finalContent) == .right
    }
}
