import TestSupport
import Testing

/// How many system calls of some kinds one unit of work may cost.
struct CallLimit: Sendable, CustomTestStringConvertible {
    let cost: CostLimit
    let kinds: Set<CallKind>
    /// Whether they are about files in the folder that is downloaded into, or all others.
    let isInside: Bool

    init(_ name: String, _ kinds: Set<CallKind>, isInside: Bool, counted: Double, limit: Double) {
        cost = CostLimit(name, counted: counted, limit: limit)
        (self.kinds, self.isInside) = (kinds, isInside)
    }

    /// A sanitizer's calls for memory are not the program's: there these are left out.
    func count(in table: CallTable) -> Double {
        table.count(Sanitizer.isPresent ? kinds.subtracting([.memory]) : kinds, isInside: isInside)
    }

    var testDescription: String { cost.name }
}
