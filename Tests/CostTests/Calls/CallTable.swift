import Foundation
import TestSupport

/// How often a program made which system calls, as the program `CallCount` writes it down.
struct CallTable: Sendable, CustomStringConvertible {
    struct Line: Sendable, Hashable {
        /// About a file in the folder where the program works, or that folder itself.
        var isInside: Bool
        var call: String
    }

    private(set) var counts: [Line: Double] = [:]

    init(_ text: String) throws {
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 3, let count = Double(words[2]) else {
                throw SystemError("the line \"\(line)\" of a table of calls", number: EINVAL)
            }
            counts[Line(isInside: words[0] == "inside", call: String(words[1])), default: 0] += count
        }
    }

    /// What each unit cost, by which `longer` is longer than `shorter`: a start and an end, which both have, don't count.
    init(_ longer: CallTable, without shorter: CallTable, per units: Int) {
        counts = longer.counts.merging(shorter.counts.mapValues { -$0 }, uniquingKeysWith: +)
            .mapValues { $0 / Double(units) }
    }

    /// All calls of these kinds, about files in the folder or about all else.
    func count(_ kinds: Set<CallKind>, isInside: Bool) -> Double {
        counts.filter { $0.key.isInside == isInside && kinds.contains(CallKind($0.key.call)) }.values.reduce(0, +)
    }

    /// A line for each call, the most frequent first.
    var description: String {
        counts.filter { abs($0.value) >= 0.005 }
            .sorted { $0.value > $1.value }
            .map { line, count in
                "\(String(format: "%9.2f", count)) \(line.call)\(line.isInside ? " on files in the folder" : "")"
            }
            .joined(separator: "\n")
    }
}
