// A program that has Swift's libraries in it has no Testing, and needs none.
#if canImport(Testing)
    package import Testing

    /// A test that waits for its turn before it begins, so that tests don't starve each other.
    ///
    /// On a suite it applies to each of its tests, and to each case of a test with arguments.
    package struct TurnsTrait: TestTrait, SuiteTrait, TestScoping {
        let isAlone: Bool

        package var isRecursive: Bool { true }

        /// A test has one turn, whichever of its suites ask for one.
        @TaskLocal private static var isTaken = false

        package func provideScope(
            for test: Test,
            testCase: Test.Case?,
            performing function: @Sendable () async throws -> Void
        ) async throws {
            guard !Self.isTaken else { return try await function() }
            let isAlone = test.traits.contains { ($0 as? Self)?.isAlone == true }
            try await Turns.ofThisProcess.take(alone: isAlone) {
                try await Self.$isTaken.withValue(true) { try await function() }
            }
        }

        /// Whether the code that asks belongs to a test that has no turn.
        package static var isMissing: Bool { Test.Case.current != nil && !isTaken }

        /// Reports a test that uses something for which tests take turns, and has none.
        static func expectTurn(for use: String) {
            guard isMissing, let test = Test.current else { return }
            Issue.record("It \(use): its suite should be .takesTurns", sourceLocation: test.sourceLocation)
        }
    }

    extension Trait where Self == TurnsTrait {
        /// For tests that start programs, hold servers, download or keep disks busy: so many of them run at a time as this
        /// process may use cores.
        package static var takesTurns: Self { Self(isAlone: false) }

        /// For tests that count or measure what others would add to: no other test that takes turns runs meanwhile. All
        /// others wait for it, so let it be short.
        package static var takesTurnsAlone: Self { Self(isAlone: true) }
    }
#endif
