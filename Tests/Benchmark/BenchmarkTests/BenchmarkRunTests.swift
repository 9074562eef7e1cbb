import Foundation
import Testing

@testable import spate_benchmark

@Suite(.serialized) struct BenchmarkRunTests {
    /// With the least possible work: everything must be done, checked and reported.
    @Test func everyScenarioIsMeasuredForEveryProgramOfThisPackage() async throws {
        let folder = try TemporaryFolder()
        let (json, svg) = (folder.url("figures.json"), folder.url("figures.svg"))
        let child = try Child(
            ProgramPath.built("spate-benchmark"),
            ["--scale", "0.001", "--rounds", "2", "--programs", "spate,urlsession-baseline"]
                + ["--json", json.path, "--svg", svg.path, "--directory", folder.path]
        )
        let status = try await child.end()
        #expect(status == 0, "\(child.output) \(child.errors)")
        let report = try #require(Figures(path: json.path).runs.first)
        #expect(report.scenarios.map(\.name) == Scenario.all.map(\.name))
        for result in report.scenarios {
            #expect(result.failures == [])
            if result.measure == .queue {
                #expect(result.queueRuns.count == 6)
            } else if !result.isImpossible {
                let scenario = try #require(Scenario.all.first { $0.name == result.name })
                let programs =
                    scenario.entries?.map(\.name).filter(Entry.isOurs)
                    ?? (scenario.isSecured ? ["spate"] : ["spate", "urlsession-baseline"])
                // Of the fixed numbers, three run again.
                let again = programs.count - max(0, programs.count(where: Entry.isFixed) - 3)
                #expect(result.runs.prefix(programs.count).map(\.program) == programs)
                #expect(result.runs.count == programs.count + again)
                #expect(result.runs.allSatisfy { $0.shortfall == nil })
                // The peak of this process, tens of megabytes, is not the programs'.
                #expect(result.runs.allSatisfy { $0.cost.wallSeconds > 0 && $0.cost.peakBytes > 1 << 20 })
                #expect(result.runs.allSatisfy { $0.cost.contextSwitches ?? 0 > 0 })
                let isServedCounted = result.measure == .fetched
                #expect(!isServedCounted || result.runs.allSatisfy { $0.servedBytes ?? 0 >= result.totalBytes })
            }
        }
        let drawing = try String(contentsOf: svg, encoding: .utf8)
        #expect(report.scenarios.allSatisfy { $0.isImpossible || drawing.contains($0.name) })
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(left == ["figures.json", "figures.svg"])
    }

    @Test func anInterruptionLeavesNothingBehind() async throws {
        let folder = try TemporaryFolder()
        var environment = ProcessInfo.processInfo.environment
        environment["TMPDIR"] = folder.path
        let child = try Child(
            ProgramPath.built("spate-benchmark"),
            ["large-disk", "--scale", "0.01", "--rounds", "1000", "--programs", "spate", "--directory", folder.path],
            environment: environment
        )
        await Waiting.until { !Self.children(of: child.pid, named: "stopwatch").isEmpty }
        child.send(SIGINT)
        #expect(try await child.end() == 130, "\(child.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        await Waiting.until { Self.processes(working: folder.path).isEmpty }
    }

    @Test func anInterruptionEndsTheLine() async throws {
        let folder = try TemporaryFolder()
        var environment = ProcessInfo.processInfo.environment
        environment["TMPDIR"] = folder.path
        let child = try Child(
            ProgramPath.built("spate-benchmark"),
            ["line-50-one", "--rounds", "1000", "--programs", "spate"],
            environment: environment
        )
        await Waiting.until { !child.isRunning || !Self.children(of: child.pid, named: "stopwatch").isEmpty }
        if !child.isRunning, child.output.contains("A line is not possible here") { try Test.cancel("\(child.output)") }
        let line = Self.children(of: child.pid, named: "line")
        #expect(line.count == 1)
        child.send(SIGINT)
        #expect(try await child.end() == 130, "\(child.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        await Waiting.until { line.allSatisfy { kill($0, 0) == -1 } && Self.processes(working: folder.path).isEmpty }
    }

    private static func children(of pid: Int32, named name: String) -> [Int32] {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")) ?? []
        return threads.flatMap { thread in
            text(of: "/proc/\(pid)/task/\(thread)/children").split(separator: " ").compactMap { Int32($0) }
        }.filter { text(of: "/proc/\($0)/comm") == name + "\n" }
    }

    /// Those whose command names the folder, such as nginx with its configuration.
    private static func processes(working folder: String) -> [String] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.filter { Int32($0) != nil && text(of: "/proc/\($0)/cmdline").contains(folder + "/") }
    }

    private static func text(of path: String) -> String {
        (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }
}

extension ScenarioResult {
    /// Whether it needs a line that this machine cannot have.
    fileprivate var isImpossible: Bool {
        runs.isEmpty && notes.contains { $0.hasPrefix("A line is not possible here: ") }
    }
}
