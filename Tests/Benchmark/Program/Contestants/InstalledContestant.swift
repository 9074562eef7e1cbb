import Foundation
import TestSupport

/// A contestant that is there, and which one exactly.
struct InstalledContestant: Sendable {
    let contestant: Contestant
    let path: String
    let version: String

    init(contestant: Contestant, path: String, version: String) {
        self.contestant = contestant
        self.path = path
        self.version = version
    }

    /// `nil` where it is not installed.
    init?(_ contestant: Contestant) async throws {
        let own = contestant.isOwn ? try BuiltProgram.path(contestant.rawValue) : nil
        guard let path = own ?? InstalledProgram.path(contestant.rawValue) else { return nil }
        let version = contestant == .baseline ? "of this package" : try await Self.version(of: path)
        self.init(contestant: contestant, path: path, version: version)
    }

    /// The first line of what a program says of itself. Asking also brings the program into the system's cache.
    static func version(of path: String, option: String = "--version") async throws -> String {
        let child = try ChildProcess(path, [option])
        try await child.waitForExit()
        // nginx writes it to standard error.
        let said = child.output.isEmpty ? child.errors : child.output
        return said.split(separator: "\n").first.map(String.init) ?? "of an unknown version"
    }
}
