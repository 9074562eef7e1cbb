import Foundation
import Spate
import SpateConsole

/// `--refresh-command`: asks a program for the URL and the headers of an attempt.
final class RefreshCommand: Sendable {
    /// How long the program may take. Its download holds its slot meanwhile.
    private static let limit = Duration.seconds(60)
    /// How many run at once. Each has a thread.
    private static let mostAtOnce = 8

    private let program: OptionProgram
    /// Whether first attempts use the URL as listed.
    private let onlyForRetries: Bool
    private let programs: RunningPrograms
    private let show: @Sendable (String) -> Void
    private let queue = OperationQueue()

    /// The program that the user has chosen, if there is one.
    ///
    /// - Parameter show: called with each line of the program's standard error, on any thread.
    init?(
        of chosen: OptionPrograms,
        _ arguments: Arguments,
        among programs: RunningPrograms,
        show: @escaping @Sendable (Notice) -> Void
    ) {
        guard let program = chosen.refresh else { return nil }
        (self.program, onlyForRetries) = (program, arguments.refreshesOnlyRetries)
        self.programs = programs
        self.show = { show(Notice.output(of: program, $0)) }
        queue.maxConcurrentOperationCount = Self.mostAtOnce
    }

    /// The request to send for an attempt.
    @Sendable func prepare(_ request: DownloadRequest, _ attempt: DownloadAttempt) async throws -> DownloadRequest {
        if onlyForRetries, attempt.number == 1 { return request }
        let question = attempt.question(about: request.url)
        let stop = StopFlag()
        let answer = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<[UInt8], any Error>) in
                // Not in this task, whose thread must not block.
                queue.addOperation { [self] in continuation.resume(with: ask(question, stop)) }
            }
        } onCancel: {
            stop.set()
        }
        do throws(RefreshAnswer.Fault) {
            return try RefreshAnswer(answer).applied(to: request)
        } catch {
            throw RefreshFailure(program, .badAnswer(error))
        }
    }

    private func ask(_ question: String, _ stop: StopFlag) -> Result<[UInt8], any Error> {
        do throws(ProgramFailure) {
            let limits = ProgramRun.Limits(time: Self.limit, answerBytes: RefreshAnswer.mostBytes)
            return .success(try ProgramRun.run(program, question, limits, among: programs, stop: stop, show: show))
        } catch {
            return .failure(RefreshFailure(program, error))
        }
    }
}

extension DownloadAttempt {
    /// What the program of `--refresh-command` reads.
    fileprivate func question(about url: URL) -> String {
        let reason = previousError.map { error in
            "{\"error\":\(JSONText.string(error.message)),\"code\":\(JSONText.string(error.code.rawValue))"
                + ",\"status\":\(error.statusCode.map(String.init) ?? "null"),\"retryable\":\(error.isRetryable)}"
        }
        return "{\"url\":\(JSONText.string(url.absoluteString)),\"attempt\":\(number),\"reason\":\(reason ?? "null")}\n"
    }
}

/// Its message goes into that of the failed attempt.
struct RefreshFailure: LocalizedError {
    let errorDescription: String?

    init(_ program: OptionProgram, _ failure: ProgramFailure) {
        errorDescription = failure.text(about: program.shown)
    }
}
