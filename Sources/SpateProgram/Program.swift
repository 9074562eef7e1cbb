import CSpateMalloc
import Foundation
import SpateConsole
import SpateDemo

/// The command line program `spate`, on top of the library's public API.
@main
enum Program {
    static func main() {
        // Else each thread gets a heap of its own, and what one frees is of no use to the others: a third of the memory
        // of a long list. The threads allocate too little to wait for each other.
        mallopt(M_ARENA_MAX, 1)
        StandardStream.reserveDescriptors()
        exit(finishOutput(run(Array(CommandLine.arguments.dropFirst()))))
    }

    /// Waits until the readers of the standard streams have all lines, and returns the exit code.
    ///
    /// - Parameter code: the exit code if they get all.
    private static func finishOutput(_ code: Int32) -> Int32 {
        var code = code
        if let error = StandardStream.output.lines.finish() {
            code = SignalWatch.received?.exitCode ?? StopReason.exitCode(afterOutputError: error)
        }
        _ = StandardStream.error.lines.finish()
        return code
    }

    /// Runs a command line and returns the exit code.
    static func run(_ words: [String]) -> Int32 {
        do {
            let arguments = try ArgumentParser.parse(words)
            switch arguments.command {
            case .get: return try GetCommand.run(arguments)
            case .resume: return try ResumeCommand.run(arguments)
            case .status: return try StatusCommand.run(arguments)
            case .verify: return try VerifyCommand.run(arguments)
            case .repair: return try RepairCommand.run(arguments)
            case .delete: return try DeleteCommand.run(arguments)
            case .demo: return try demo(arguments)
            case .completions: return write(arguments.shell.completions)
            case .help: return write(Usage.help(about: arguments.helpTopic))
            case .version: return write(Usage.versions)
            }
        } catch let error as UsageError {
            StandardStream.error.writeLine("spate: \(error.message)")
            StandardStream.error.writeLine("Try: spate --help")
            return 2
        } catch {
            StandardStream.error.writeNotice(.failure(error.localizedDescription))
            return 1
        }
    }

    private static func write(_ text: String) -> Int32 {
        StandardStream.output.writeLine(text) ? 0 : StopReason.exitCode(afterOutputError: errno)
    }

    private static func demo(_ arguments: Arguments) throws(UsageError) -> Int32 {
        do throws(DemoFailure) {
            return try arguments.serves ? DemoServeCommand.run() : DemoCommand.run()
        } catch {
            throw UsageError(error)
        }
    }
}

extension UsageError {
    init(_ failure: DemoFailure) {
        let kind: Kind =
            switch failure {
            case .folder: .demoFolder
            case .server: .demoServer
            }
        self.init(kind, failure.message)
    }
}
