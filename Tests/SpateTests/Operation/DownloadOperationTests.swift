import Foundation
import Locking
import TestSupport
import Testing

@testable import Spate

@Suite struct DownloadOperationTests {
    private let workplace = Workplace()

    private struct Flags: Equatable, CustomStringConvertible {
        let ready, executing, finished, cancelled: Bool

        init(_ operation: Operation) {
            (ready, executing) = (operation.isReady, operation.isExecuting)
            (finished, cancelled) = (operation.isFinished, operation.isCancelled)
        }

        init(_ letters: String) {
            (ready, executing) = (letters.contains("r"), letters.contains("e"))
            (finished, cancelled) = (letters.contains("f"), letters.contains("c"))
        }

        var description: String {
            "\(ready ? "r" : "")\(executing ? "e" : "")\(finished ? "f" : "")\(cancelled ? "c" : "")"
        }
    }

    private func expect(_ operation: Operation, is letters: String, line: Int = #line) {
        let location = SourceLocation(fileID: #fileID, filePath: #filePath, line: line, column: 1)
        #expect(Flags(operation) == Flags(letters), sourceLocation: location)
    }

    @Test func itIsReadyThenExecutingThenFinished() {
        let operation = workplace.operation(.endsWhenCancelled)
        #expect(operation.isAsynchronous)
        expect(operation, is: "r")
        operation.start()
        expect(operation, is: "re")
        operation.finish()
        expect(operation, is: "rf")
    }

    @Test func itIsExecutingWhileItsAttemptIsMade() {
        let seen = Recorder<String>()
        let operation = DownloadOperation(url: URL(fileURLWithPath: "/x")) { operation in
            seen.append(Flags(operation).description)
            return nil
        }
        operation.start()
        #expect(seen.values == ["re"])
        expect(operation, is: "rf")
    }

    @Test func cancelledBeforeItsStartItFinishesInItsStartAndMakesNoAttempt() {
        let operation = workplace.operation(.endsOnAnotherThread)
        operation.cancel()
        expect(operation, is: "rc")
        operation.start()
        expect(operation, is: "rfc")
        #expect(workplace.count.value.entered == 0)
    }

    @Test func cancelledWhileExecutingItTellsItsAttemptAndFinishesWhenThatEnds() async throws {
        let operation = workplace.operation(.endsWhenCancelled)
        operation.start()
        #expect(workplace.count.value.cancellations == 0)
        operation.cancel()
        #expect(workplace.count.value.cancellations == 1)
        try await eventually("it finishes") { operation.isFinished }
        expect(operation, is: "rfc")
    }

    @Test func cancelledWhileItsAttemptIsMadeItTellsTheAttemptAllTheSame() async throws {
        let workplace = workplace
        let operation = DownloadOperation(url: URL(fileURLWithPath: "/x")) { operation in
            workplace.enter()
            operation.cancel()
            return ScriptedRun(.endsWhenCancelled, at: workplace, of: operation)
        }
        operation.start()
        try await workplace.count.wait(until: { $0.cancellations == 1 })
        try await eventually("it finishes") { operation.isFinished }
    }

    @Test func cancelledAfterItsEndItStaysFinishedAndNothingElse() {
        let operation = workplace.operation(.endsAtOnce)
        operation.start()
        operation.cancel()
        expect(operation, is: "rf")
        #expect(workplace.count.value.cancellations == 0)
    }

    @Test func aFinishBeforeTheStartIsNone() {
        let operation = workplace.operation(.endsWhenCancelled)
        operation.finish()
        expect(operation, is: "r")
        operation.start()
        expect(operation, is: "re")
        operation.finish()
    }

    @Test func aSecondStartOrFinishDoesNothing() {
        let operation = workplace.operation(.endsWhenCancelled)
        operation.start()
        operation.start()
        #expect(workplace.count.value.entered == 1)
        operation.finish()
        operation.finish()
        operation.start()
        expect(operation, is: "rf")
        #expect(workplace.count.value.entered == 1)
    }

    @Test func anAttemptThatEndedWhileItWasMadeIsNotBegun() {
        let begun = Recorder<Bool>()
        final class Run: AttemptRun {
            let begun: Recorder<Bool>
            init(_ begun: Recorder<Bool>) { self.begun = begun }
            func begin() { begun.append(true) }
            func cancel() {}
        }
        let operation = DownloadOperation(url: URL(fileURLWithPath: "/x")) { operation in
            operation.finish()
            return Run(begun)
        }
        operation.start()
        #expect(begun.values.isEmpty && operation.isFinished)
    }

    @Test func itLetsGoOfItsAttemptWhenItFinishes() {
        final class Run: AttemptRun {
            func begin() {}
            func cancel() {}
        }
        let made = Locked<WeakRun?>(nil)
        let operation = DownloadOperation(url: URL(fileURLWithPath: "/x")) { _ in
            let run = Run()
            made.withLock { $0 = WeakRun(run: run) }
            return run
        }
        operation.start()
        #expect(made.withLock { $0?.run } != nil)
        operation.finish()
        #expect(made.withLock { $0?.run } == nil)
    }

    @Test func whoWaitsForItsEndIsWoken() async throws {
        let operation = workplace.operation(.endsWhenCancelled)
        operation.start()
        let isOver = Watched(false)
        Thread.detachNewThread {
            operation.waitUntilFinished()
            isOver.update { $0 = true }
        }
        #expect(!isOver.value)
        operation.cancel()
        try await isOver.wait(for: "the waiting thread", until: { $0 })
    }
}

private struct WeakRun {
    weak var run: (any AttemptRun)?
}
