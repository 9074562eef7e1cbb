import Foundation
import Spate

/// Unpacks what another operation fetched, into a folder that is there only when all of it is.
///
/// Make it depend on the fetch, with `fetch.addDependent(_:)`.
final class UnpackOperation: Operation, @unchecked Sendable {
    // Unchecked because Operation is: what changes is written by `main()`, and read after this operation has finished.

    let fetch: FetchOperation
    private let folder: URL
    /// The folder, or why there is none. Read it when the operation is finished.
    private(set) var result: Result<URL, any Error> = .failure(CancellationError())

    init(_ fetch: FetchOperation, into folder: URL) {
        self.fetch = fetch
        self.folder = folder
    }

    override func main() {
        result = Result { try unpack() }
    }

    private func unpack() throws -> URL {
        // Operations begin after those that they depend on even where these have failed: this throws the reason then.
        guard let archive = try fetch.result?.get() else { throw CancellationError() }
        let name = archive.lastPathComponent.prefix { $0 != "." }
        let target = folder.appendingPathComponent("\(name).unpacked", isDirectory: true)
        let files = FileManager.default
        if files.fileExists(atPath: target.path) { return target }

        // Under another name until it is whole; what an earlier run was stopped at goes first.
        let work = folder.appendingPathComponent("\(name).unpacking", isDirectory: true)
        if files.fileExists(atPath: work.path) { try files.removeItem(at: work) }
        try files.createDirectory(at: work, withIntermediateDirectories: true)
        do {
            try Self.run("tar", ["-xf", archive.path, "-C", work.path])
            try files.moveItem(at: work, to: target)
        } catch {
            try? files.removeItem(at: work)
            throw error
        }
        return target
    }

    private static func run(_ program: String, _ arguments: [String]) throws {
        let process = Process()
        let errors = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.standardInput = FileHandle.nullDevice
        process.standardError = errors
        try process.run()
        // Read to the end before waiting: a program that has much to say waits for its reader.
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw ProgramFailure(program: program, status: process.terminationStatus, text: text)
        }
    }
}

/// A program that did not do what it was asked for.
struct ProgramFailure: Error, CustomStringConvertible {
    let program: String
    let status: Int32
    /// What it said.
    let text: String

    var description: String {
        let first = text.split(separator: "\n").first.map(String.init) ?? "it said nothing"
        return "\(program) ended with \(status): \(first)"
    }
}
