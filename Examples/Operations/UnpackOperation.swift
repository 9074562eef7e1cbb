import Foundation
import Spate

/// Unpacks the archive of a `FetchOperation`. The folder gets its name only when everything is unpacked.
///
/// Make it depend on the fetch with `fetch.addDependent(_:)`.
final class UnpackOperation: Operation, @unchecked Sendable {
    // Unchecked because Operation is. `result` is written by `main()` and read after the operation has finished.

    let fetch: FetchOperation
    private let folder: URL
    /// The folder or the error. Read it after the operation has finished.
    private(set) var result: Result<URL, any Error> = .failure(CancellationError())

    init(_ fetch: FetchOperation, into folder: URL) {
        self.fetch = fetch
        self.folder = folder
    }

    override func main() {
        result = Result { try unpack() }
    }

    private func unpack() throws -> URL {
        // An operation also starts after a dependency that has failed. Then this throws the error of the fetch.
        guard let archive = try fetch.result?.get() else { throw CancellationError() }
        let name = archive.lastPathComponent.prefix { $0 != "." }
        let target = folder.appendingPathComponent("\(name).unpacked", isDirectory: true)
        let files = FileManager.default
        if files.fileExists(atPath: target.path) { return target }

        // Use another name until everything is unpacked. Remove what an interrupted run has left.
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
        // Read to the end before waiting: a program that writes more than the pipe holds waits for its reader.
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw ProgramFailure(program: program, status: process.terminationStatus, text: text)
        }
    }
}

/// A program that has failed.
struct ProgramFailure: Error, CustomStringConvertible {
    let program: String
    let status: Int32
    /// Its standard error.
    let text: String

    var description: String {
        let first = text.split(separator: "\n").first.map(String.init) ?? "no message"
        return "\(program) ended with \(status): \(first)"
    }
}
