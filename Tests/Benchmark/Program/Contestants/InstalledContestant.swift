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
        guard let path = own ?? ProgramSearch.path(contestant.rawValue) else { return nil }
        let version = contestant == .baseline ? "of this package" : try await ProgramSearch.version(path)
        self.init(contestant: contestant, path: path, version: version)
    }
}

/// Programs of the system.
enum ProgramSearch {
    /// The folders of administrators' programs are in no user's PATH.
    static func path(_ name: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "") + ":/usr/sbin:/usr/local/sbin"
        return folders.split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    /// The first line of what it says of itself. Having asked also brings the program into the system's cache.
    static func version(_ path: String, option: String = "--version") async throws -> String {
        let child = try ChildProcess(path, [option])
        try await child.waitForExit()
        // nginx tells it as an error.
        let said = child.output.isEmpty ? child.errors : child.output
        return said.split(separator: "\n").first.map(String.init) ?? "of an unknown version"
    }
}
