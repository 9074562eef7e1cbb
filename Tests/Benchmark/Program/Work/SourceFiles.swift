import Foundation
import TestSupport

/// The files of one scenario, in the folder that the server serves; they go away with this object.
final class SourceFiles: Sendable {
    private static let pieceBytes = 16 << 20

    let names: [String]
    private let folder: TemporaryFolder

    init(of scenario: Scenario, in folder: TemporaryFolder) throws {
        self.folder = folder
        names = (0..<scenario.fileCount).map { "\(scenario.name)-\($0).bin" }
        for (index, name) in names.enumerated() {
            try Task.checkCancellation()
            try Self.make(folder.path(name), bytes: scenario.fileBytes, seed: UInt64(index) << 32)
        }
    }

    deinit {
        for name in names { unlink(folder.path(name)) }
    }

    /// A piece at a time, each of a seed of its own: what is in memory need not be as large as the file.
    private static func make(_ path: String, bytes: Int, seed: UInt64) throws {
        guard FileManager.default.createFile(atPath: path, contents: nil) else { throw SystemError("making \(path)") }
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        defer { try? file.close() }
        for (number, start) in stride(from: 0, to: bytes, by: pieceBytes).enumerated() {
            let piece = TestBytes.random(count: min(pieceBytes, bytes - start), seed: seed + UInt64(number) + 1)
            try file.write(contentsOf: piece)
        }
    }

    /// Throws at the first file that is not there whole and right.
    func check(against fetched: TemporaryFolder) throws {
        for name in names {
            try Task.checkCancellation()
            guard let found = try? Data(contentsOf: fetched.url(name), options: .alwaysMapped) else {
                throw WorkFailure("\(name) is not there")
            }
            let wanted = try Data(contentsOf: folder.url(name), options: .alwaysMapped)
            if let difference = TestBytes.difference(found, from: wanted) {
                throw WorkFailure("\(name) is \(difference)")
            }
        }
    }
}

/// A program did not do its work.
struct WorkFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
