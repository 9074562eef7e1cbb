// A program that has Swift's libraries in it has no Testing, and needs none.
#if canImport(Testing)
    package import Testing

    /// A test that waits for its turn before it begins, so that tests don't starve each other.
    ///
    /// On a suite it applies to each of its tests, and to each case of a test with arguments. Where a test and its suite
    /// differ, the test is right.
    package struct TurnsTrait: TestTrait, SuiteTrait, TestScoping {
        let turns: Turns

        package var isRecursive: Bool { true }

        /// A test has one turn, whichever of its suites ask for one.
        @TaskLocal private static var taken: Turns?

        package func provideScope(
            for test: Test,
            testCase: Test.Case?,
            performing function: @Sendable () async throws -> Void
        ) async throws {
            guard Self.taken == nil else { return try await function() }
            let turns = test.traits.lazy.compactMap { ($0 as? Self)?.turns }.last ?? turns
            try await turns.take {
                try await Self.$taken.withValue(turns) { try await function() }
            }
        }

        /// Whose turn the code that asks has.
        package static var current: Turns? { taken }

        /// Whether the code that asks belongs to a test that has no turn.
        package static var isMissing: Bool { Test.Case.current != nil && taken == nil }

        /// Reports a test that uses something for which tests take turns, and has none.
        static func expectTurn(for use: String) {
            guard isMissing, let test = Test.current else { return }
            Issue.record("It \(use): its suite should be .takesTurns", sourceLocation: test.sourceLocation)
        }
    }

    extension Trait where Self == TurnsTrait {
        /// For tests that start programs, hold servers, download or keep disks busy: so many of them run at a time as this
        /// process may use cores.
        package static var takesTurns: Self { Self(turns: .toWork) }

        /// For those among them that leave the cores idle, since a server is slow on purpose or a retry is not due yet: they
        /// have turns of their own.
        package static var mostlyWaits: Self { Self(turns: .toWait) }
    }
#endif
