import Foundation
import TestSupport
import Testing

@testable import spate_benchmark

@Suite(.takesTurns) struct BenchmarkRunTests {
    private static let isPossible = NginxServer.isPossible

    /// With the least possible work: everything must be done, checked and reported.
    @Test(.enabled(if: isPossible, "\(Benchmark.requirement)"))
    func everyScenarioIsMeasuredForEveryProgramOfThisPackage() async throws {
        let folder = try TemporaryFolder()
        let (json, svg) = (folder.url("figures.json"), folder.url("figures.svg"))
        let child = try ChildProcess(
            BuiltProgram.path("spate-benchmark"),
            ["--scale", "0.001", "--rounds", "2", "--programs", "spate,urlsession-baseline"]
                + ["--json", json.path, "--svg", svg.path, "--directory", folder.path]
        )
        let exit = try await child.waitForExit()
        #expect(exit == .status(0), "\(child.output) \(child.errors)")
        let report = try JSONDecoder().decode(BenchmarkReport.self, from: Data(contentsOf: json))
        #expect(report.scenarios.map(\.name) == Scenario.all.map(\.name))
        for result in report.scenarios {
            #expect(result.failures == [])
            if result.measure == .queue {
                #expect(result.queueRuns.count == 6)
            } else {
                let ways = Scenario.all.first { $0.name == result.name }?.entries?.map(\.name)
                let programs =
                    ways?.filter(Entry.isOurs) ?? (result.name == "tls" ? ["spate"] : ["spate", "urlsession-baseline"])
                #expect(result.runs.map(\.program) == programs + programs)
                #expect(result.runs.allSatisfy { $0.cost.wallSeconds > 0 && $0.cost.peakBytes > 1 << 20 })
            }
        }
        let drawing = try String(contentsOf: svg, encoding: .utf8)
        #expect(Scenario.all.allSatisfy { drawing.contains($0.name) })
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
                "figures.json", "figures.svg",
            ]
        )
    }

    @Test(.enabled(if: isPossible, "\(Benchmark.requirement)"))
    func anInterruptionLeavesNothingBehind() async throws {
        let folder = try TemporaryFolder()
        var environment = ProcessInfo.processInfo.environment
        environment["TMPDIR"] = folder.path
        let child = try ChildProcess(
            BuiltProgram.path("spate-benchmark"),
            ["large-disk", "--scale", "0.01", "--rounds", "1000", "--programs", "spate", "--directory", folder.path],
            environment: environment
        )
        try await eventually("a run") { try !Self.children(of: child.pid, named: "Stopwatch").isEmpty }
        let nginx = try Self.children(of: child.pid, named: "nginx")
        child.send(SIGINT)
        #expect(try await child.waitForExit() == .status(130), "\(child.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        #expect(nginx.count == 1)
        try await eventually("the end of nginx") { nginx.allSatisfy { access("/proc/\($0)", F_OK) != 0 } }
    }

    private static func children(of pid: Int32, named name: String) throws -> [Int32] {
        let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")
        return threads.flatMap { thread in
            let path = "/proc/\(pid)/task/\(thread)/children"
            let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            return text.split(separator: " ").compactMap { Int32($0) }
        }.filter { child in
            let said = try? String(contentsOfFile: "/proc/\(child)/comm", encoding: .utf8)
            return said?.trimmingCharacters(in: .newlines) == name
        }
    }
}
