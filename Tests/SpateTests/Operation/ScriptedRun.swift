import Foundation
import Locking
import TestSupport

@testable import Spate

/// How an attempt of a test behaves.
enum Script: CaseIterable, Sendable {
    case endsAtOnce, endsOnAnotherThread, endsTwice, endsWhenCancelled, endsWhileItIsMade, isNothing, startsAgain
}

/// Where attempts work: counts how many do so at once.
final class Workplace: Sendable {
    struct Count: Sendable {
        var present = 0
        var most = 0
        var entered = 0
        var cancellations = 0
    }

    let count = Watched(Count())

    func enter() {
        count.update { count in
            count.present += 1
            count.entered += 1
            count.most = max(count.most, count.present)
        }
    }

    func leave() {
        count.update { $0.present -= 1 }
    }

    /// An operation whose attempt works here and follows the script.
    func operation(_ script: Script) -> DownloadOperation {
        DownloadOperation(url: URL(fileURLWithPath: "/scripted")) { [self] operation in
            enter()
            let run = ScriptedRun(script, at: self, of: operation)
            switch script {
            case .isNothing:
                leave()
                return nil
            case .endsWhileItIsMade:
                run.end()
                return run
            default: return run
            }
        }
    }
}

/// An attempt that does nothing but follow its script. It holds its operation, as real ones do.
final class ScriptedRun: AttemptRun {
    private let script: Script
    private let workplace: Workplace
    private let operation: DownloadOperation
    private let isOver = Locked(false)

    init(_ script: Script, at workplace: Workplace, of operation: DownloadOperation) {
        self.script = script
        self.workplace = workplace
        self.operation = operation
    }

    func begin() {
        switch script {
        case .endsAtOnce: end()
        case .endsTwice:
            endElsewhere()
            endElsewhere()
        case .startsAgain:
            operation.start()
            endElsewhere()
        case .endsOnAnotherThread: endElsewhere()
        case .endsWhenCancelled, .endsWhileItIsMade, .isNothing: break
        }
    }

    func cancel() {
        workplace.count.update { $0.cancellations += 1 }
        endElsewhere()
    }

    func end() {
        // Within the lock: who comes second must not finish the operation while the first is still on the way out.
        isOver.withLock { isOver in
            if !isOver { workplace.leave() }
            isOver = true
        }
        operation.finish()
    }

    private func endElsewhere() {
        DispatchQueue.global().async { [self] in end() }
    }
}
