/// One line of what the demo proved, or did not.
struct DemoClaim: Sendable, Equatable {
    var subject: String
    /// What was measured, in words.
    var text: String
    var holds: Bool

    /// In a table with others.
    var line: String {
        let gap = String(repeating: " ", count: max(1, 21 - subject.count))
        return "\(holds ? "✓" : "✗") \(subject)\(gap)\(text)"
    }
}
