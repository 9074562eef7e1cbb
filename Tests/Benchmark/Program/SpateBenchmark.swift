import Foundation

/// The program: measures Spate against other downloaders.
@main
enum SpateBenchmark {
    static func main() async {
        do {
            let arguments = try BenchmarkArguments(Array(CommandLine.arguments.dropFirst()))
            switch arguments.action {
            case .help: Terminal.say(Usage.help)
            case .list: Terminal.say(Usage.list)
            case .measureQueue(let count, let port, let isKept):
                let cost = try QueueMeasurement.run(count: count, port: port, isKept: isKept)
                Terminal.say(String(decoding: try JSONEncoder().encode(cost), as: UTF8.self))
            case .fetchOneByOne(let list, let folder): try await OneByOneFetch.run(list: list, folder: folder)
            case .draw(let figures):
                let figures = try Figures(path: figures)
                for result in figures.scenarios {
                    Terminal.say((ResultTable(result).lines + [""]).joined(separator: "\n"))
                }
                try figures.write(as: arguments)
                if let root = arguments.publish { try Publication(root).publish(figures.runs) }
            case .measure:
                // Ctrl-C cancels the task: the server, the program that runs and the temporary folders go away on the way
                // out. A second one ends the process at once.
                let task = Task { try await Benchmark(arguments: arguments).run() }
                StopSignals.begin { task.cancel() }
                exit(try await task.value)
            }
        } catch is CancellationError {
            exit(130)
        } catch {
            let usage = error as? UsageError
            FileHandle.standardError.write(Data("spate-benchmark: \(usage?.message ?? "\(error)")\n".utf8))
            exit(usage == nil ? 1 : 2)
        }
    }
}
