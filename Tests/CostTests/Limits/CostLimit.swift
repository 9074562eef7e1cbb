import SpateTestSupport
import Testing

/// How much of something one unit of work may cost.
struct CostLimit: Sendable {
    /// What is counted, and for what: "looks for a small file".
    let name: String
    /// What was counted when the limit was set.
    let counted: Double
    /// A count above this fails. Less than twice the count, so that a doubled cost always fails.
    let limit: Double

    init(_ name: String, counted: Double, limit: Double) {
        precondition(counted == 0 || limit < 2 * counted, "the limit of \(name) would let it double")
        (self.name, self.counted, self.limit) = (name, counted, limit)
    }

    /// Checks a count that is the same in every run. If it has fallen by half, the limit must follow, or the cost could
    /// double again unseen.
    func check(exact count: Double, _ details: @autoclosure () -> String) {
        check(count, details())
        #expect(
            counted == 0 || limit < 2 * count,
            "\(name): \(count), less than half of the limit of \(limit): write the new figure into CostLimits.swift"
        )
    }

    /// Checks a count that a busy machine changes.
    func check(_ count: Double, _ details: @autoclosure () -> String) {
        #expect(
            count <= limit,
            "\(name): \(count), of at most \(limit); \(counted) when the limit was set. In full:\n\(details())"
        )
    }
}

/// How many system calls of some kinds one unit of work may cost.
struct CallLimit: Sendable, CustomTestStringConvertible {
    let cost: CostLimit
    let kinds: Set<CallKind>
    /// Whether they are about files in the folder that is downloaded into, or all others.
    let isInside: Bool
    /// Whether files share them: the busier the machine, the more files do.
    let isShared: Bool

    init(
        _ name: String,
        _ kinds: Set<CallKind>,
        isInside: Bool,
        isShared: Bool = false,
        counted: Double,
        limit: Double
    ) {
        cost = CostLimit(name, counted: counted, limit: limit)
        (self.kinds, self.isInside, self.isShared) = (kinds, isInside, isShared)
    }

    /// A sanitizer's calls for memory are not the program's: there these are left out.
    func count(in table: CallTable) -> Double {
        table.count(Sanitizer.isPresent ? kinds.subtracting([.memory]) : kinds, isInside: isInside)
    }

    var testDescription: String { cost.name }
}
