import Foundation

/// All that `--json` writes: raw figures, and what is needed to judge them.
struct BenchmarkReport: Codable, Sendable, Equatable {
    let date: String
    let machine: Machine
    /// Each program's own words.
    let versions: [String: String]
    let rounds: Int
    /// The factor of the work, 1 unless it was made less or more.
    let scale: Double
    let isOptimized: Bool
    var scenarios: [ScenarioResult] = []

    static let wasOptimized: Bool = {
        #if DEBUG
            false
        #else
            true
        #endif
    }()

    func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self) + Data("\n".utf8)
    }
}

extension BenchmarkReport {
    /// The figures that an earlier run wrote.
    init(path: String) throws(UsageError) {
        do {
            self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            throw UsageError("\(path) has no figures that --json wrote: \(error.localizedDescription)")
        }
    }

    /// Writes everything that was asked for.
    func write(as arguments: BenchmarkArguments) throws {
        func write(_ data: Data, to path: String?) throws {
            if let path { try data.write(to: URL(fileURLWithPath: path)) }
        }
        if arguments.json != nil { try write(json(), to: arguments.json) }
        if arguments.markdown != nil { try write(Data(MarkdownTable(self).text.utf8), to: arguments.markdown) }
        if arguments.svg != nil { try write(Data(Chart.svg(self).utf8), to: arguments.svg) }
    }
}
