import Foundation
import SpateFuzzTargets
import Testing

@Suite struct CorpusTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Corpus")

    @Test(arguments: FuzzTarget.all)
    func noInputOfTheCorpusBreaksAClaim(target: FuzzTarget) throws {
        let inputs = try Self.inputs(of: target)
        #expect(inputs.count >= 10)
        for (name, bytes) in inputs {
            #expect(throws: Never.self, "\(target.name)/\(name)") { try target.check(bytes) }
        }
    }

    /// A mixture is an input with about every fourth line from another one. Every other mixture has a changed byte.
    @Test(arguments: FuzzTarget.all)
    func noMixtureOfTheCorpusBreaksAClaim(target: FuzzTarget) throws {
        let inputs = try Self.inputs(of: target).map {
            $0.bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        }
        var random = Generator(state: 1)
        for round in 0..<1_000 {
            var lines = inputs.randomElement(using: &random) ?? []
            for index in lines.indices where Int.random(in: 0..<4, using: &random) == 0 {
                let other = inputs.randomElement(using: &random) ?? []
                if index < other.count { lines[index] = other[index] }
            }
            var mixture = Array(lines.joined(separator: [UInt8(ascii: "\n")]))
            if round % 2 == 1, let index = mixture.indices.randomElement(using: &random) {
                mixture[index] = .random(in: .min ... .max, using: &random)
            }
            do throws(BrokenClaim) {
                try target.check(mixture)
            } catch {
                Issue.record("\(error)\nfor \(String(decoding: mixture, as: UTF8.self).debugDescription)")
            }
        }
    }

    @Test func everyFolderOfTheCorpusBelongsToATarget() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(Set(names) == Set(FuzzTarget.all.map(\.name)))
    }

    @Test(arguments: FuzzTarget.all)
    func noRepeatedByteBreaksAClaim(target: FuzzTarget) {
        #expect(throws: Never.self) { try target.check([]) }
        for byte in UInt8.min...UInt8.max {
            #expect(throws: Never.self, "\(byte)") { try target.check([byte]) }
            #expect(throws: Never.self, "\(byte)") { try target.check(Array(repeating: byte, count: 300)) }
        }
    }
    private static func inputs(of target: FuzzTarget) throws -> [(name: String, bytes: [UInt8])] {
        let folder = folder.appending(path: target.name)
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map {
            ($0, [UInt8](try Data(contentsOf: folder.appending(path: $0))))
        }
    }

    /// Xorshift: the same inputs in each run.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state &* 0x2545_F491_4F6C_DD1D
        }
    }
}
