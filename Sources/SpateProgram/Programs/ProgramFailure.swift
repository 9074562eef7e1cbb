import Foundation
import Glibc
import SpateConsole

/// Why a program that an option names did not do its work.
enum ProgramFailure: Error, Equatable {
    /// - Parameter code: the error number.
    case notStarted(code: Int32)
    case status(Int32)
    case signal(Int32)
    case tookTooLong(Duration)
    /// It printed more than this.
    case longAnswer(bytes: Int)
    case badAnswer(RefreshAnswer.Fault)
    /// It was ended, because its download or the run is stopped.
    case stopped

    /// - Parameter program: its name in messages.
    func text(about program: String) -> String {
        switch self {
        case .notStarted(ENOEXEC):
            "\(program) can't be run: a script needs the name of its interpreter in its first line, such as #!/bin/sh"
        case .notStarted(let code): "\(program) can't be run: \(String(cString: strerror(code)))"
        case .status(let status): "\(program) ended with status \(status)"
        case .signal(let number): "\(program) was ended by signal \(number) (\(String(cString: strsignal(number))))"
        case .tookTooLong(let limit): "\(program) took longer than \(limit.components.seconds) seconds"
        case .longAnswer(let bytes): "\(program) printed more than \(bytes) bytes"
        case .badAnswer(let fault): "the answer of \(program) \(fault)"
        case .stopped: "\(program) was stopped"
        }
    }
}
