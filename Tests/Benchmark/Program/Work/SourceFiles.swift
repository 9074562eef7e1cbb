import Foundation

/// The files of one scenario, in a folder that the server serves; they go away with this object.
final class SourceFiles: Sendable {
    private static let pieceBytes = 16 << 20
    private static let written = Date(timeIntervalSince1970: 1_700_000_000)

    let names: [String]
    private let folder: TemporaryFolder

    var path: String { folder.path }

    init(of scenario: Scenario, in parent: String) throws {
        folder = try TemporaryFolder(in: parent)
        let sizes = scenario.fileSizes
        names = sizes.indices.map { "\(scenario.name)-\($0).bin" }
        for (index, bytes) in sizes.enumerated() {
            try Task.checkCancellation()
            try Self.make(folder.path(names[index]), bytes: bytes, seed: UInt64(index) << 32)
        }
    }

    /// A piece at a time, each of a seed of its own: what is in memory need not be as large as the file. A file that is as
    /// young as its response would have no strong validator.
    private static func make(_ path: String, bytes: Int, seed: UInt64) throws {
        guard FileManager.default.createFile(atPath: path, contents: nil) else { throw SystemError("making \(path)") }
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        defer { try? file.close() }
        for (number, start) in stride(from: 0, to: bytes, by: pieceBytes).enumerated() {
            try file.write(contentsOf: random(min(pieceBytes, bytes - start), seed: seed + UInt64(number) + 1))
        }
        try FileManager.default.setAttributes([.modificationDate: written], ofItemAtPath: path)
    }

    /// Words of a linear congruential generator, by their upper halves: no two places are the same.
    private static func random(_ count: Int, seed: UInt64) -> Data {
        var state = seed
        let words = (0..<(count + 3) / 4).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt32(truncatingIfNeeded: state >> 32)
        }
        return words.withUnsafeBytes { Data($0.prefix(count)) }
    }

    /// Throws at the first file that is not there whole and right.
    func check(against fetched: TemporaryFolder) throws {
        for name in names {
            try Task.checkCancellation()
            guard let found = try? Data(contentsOf: fetched.url(name), options: .alwaysMapped) else {
                throw WorkFailure("\(name) is not there")
            }
            let wanted = try Data(contentsOf: folder.url(name), options: .alwaysMapped)
            if found != wanted { throw WorkFailure("\(name) is not what was served") }
        }
    }
}
