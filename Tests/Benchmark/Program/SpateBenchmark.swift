import Foundation
import Locking

/// The program: measures Spate against other downloaders.
@main
enum SpateBenchmark {
    static func main() {
        do {
            let arguments = try BenchmarkArguments(Array(CommandLine.arguments.dropFirst()))
            switch arguments.action {
            case .help: Terminal.say(Usage.help)
            case .list: Terminal.say(Usage.list)
            case .measureQueue(let count, let port, let isKept):
                let cost = try QueueMeasurement.run(count: count, port: port, isKept: isKept)
                Terminal.say(String(decoding: try JSONEncoder().encode(cost), as: UTF8.self))
            case .draw(let figures):
                let report = try BenchmarkReport(path: figures)
                for result in report.scenarios {
                    Terminal.say((ResultTable(result).lines + [""]).joined(separator: "\n"))
                }
                try report.write(as: arguments)
            case .measure: exit(measure(arguments))
            }
        } catch {
            exit(code(for: error))
        }
    }

    /// Ctrl-C cancels the task: the server, the program that runs and the temporary folders go away on the way out. A
    /// second one ends the process at once.
    private static func measure(_ arguments: BenchmarkArguments) -> Int32 {
        let signals = StopSignals()
        let ended = DispatchSemaphore(value: 0)
        let code = Locked<Int32>(0)
        let task = Task {
            let result = await run(arguments)
            code.withLock { $0 = result }
            ended.signal()
        }
        signals.begin { task.cancel() }
        // Not `dispatchMain`, which takes every signal on this thread.
        ended.wait()
        return code.withLock { $0 }
    }

    private static func run(_ arguments: BenchmarkArguments) async -> Int32 {
        do {
            return try await Benchmark(arguments: arguments).run()
        } catch is CancellationError {
            return 130
        } catch {
            return code(for: error)
        }
    }

    /// Says what was wrong.
    private static func code(for error: any Error) -> Int32 {
        let usage = error as? UsageError
        FileHandle.standardError.write(Data("spate-benchmark: \(usage?.message ?? "\(error)")\n".utf8))
        return usage == nil ? 1 : 2
    }
}
