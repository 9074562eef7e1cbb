import CSpateTestSystem
import Foundation
import SpateLocking
import SpateSimulation

/// Plays a part of the seeds, and reports its progress: `at N` before each seed, `failed N: why` after a failure, and,
/// if asked for, a line about each other world, and `met N` for each meeting in it, by its number in ``Meeting/all``.
struct Worker {
    private let part: Arguments.Part
    private let arguments: Arguments

    init(_ part: Arguments.Part, _ arguments: Arguments) {
        (self.part, self.arguments) = (part, arguments)
    }

    func run() {
        // A world that takes more than that never ends.
        var limit = rlimit(rlim_cur: 2 << 30, rlim_max: 2 << 30)
        setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
        // One thread at a time goes on, and to wake it on another processor takes twice as long.
        if arguments.usesThreads { spate_test_stay_on_processor(UInt32(part.seeds.lowerBound % part.stride)) }
        for seed in stride(from: part.seeds.lowerBound, through: part.seeds.upperBound, by: Int(part.stride)) {
            // Before it begins: a crash is this seed's.
            tell("at \(seed)")
            let world = arguments.world(seed)
            if let failure = world.run() {
                tell("failed \(seed): \(failure)")
            } else if arguments.isVerbose {
                tell("seed \(seed): nothing was wrong (\(world.summary))")
            }
            if arguments.countsMeetings {
                for (index, meeting) in Meeting.all.enumerated() where world.meetings.contains(meeting) {
                    tell("met \(index)")
                }
            }
        }
        tell("done")
    }

    /// At once, since this process may crash.
    private func tell(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}

/// Plays seeds in as many processes as there are cores.
final class Workers: Sendable {
    private struct Report: Sendable {
        var failures: [UInt64: String] = [:]
        /// Where each worker is.
        var positions: [UInt64]
        var played = 0
        /// In how many worlds each came.
        var meetings = Array(repeating: 0, count: Meeting.all.count)
        var stops = false
    }

    private let seeds: ClosedRange<UInt64>
    private let arguments: Arguments
    private let count = ProcessInfo.processInfo.activeProcessorCount
    private let report: Locked<Report>

    init(_ seeds: ClosedRange<UInt64>, _ arguments: Arguments) throws {
        var first = seeds.lowerBound
        if let file = arguments.progressFile, let text = try? String(contentsOfFile: file, encoding: .utf8),
            let kept = UInt64(text.prefix { $0.isNumber }), seeds.contains(kept)
        {
            first = kept
        }
        self.seeds = first...seeds.upperBound
        self.arguments = arguments
        report = Locked(Report(positions: Array(repeating: first, count: count)))
    }

    /// - Returns: the exit status: 1 if a world has failed.
    func run() throws -> CInt {
        let began = ContinuousClock.now
        if seeds.lowerBound > 1 { print("from seed \(seeds.lowerBound)") }
        let group = DispatchGroup()
        for index in 0..<count {
            Thread.detachNewThread { [self] in
                play(index)
                group.leave()
            }
            group.enter()
        }
        while group.wait(timeout: .now() + 1) == .timedOut { keepProgress() }
        keepProgress()
        let (failures, played) = report.withLock { ($0.failures, $0.played) }
        if arguments.countsMeetings { printMeetings(report.withLock { $0.meetings }) }
        let seconds = (ContinuousClock.now - began) / .seconds(1)
        let each = seconds * 1_000 * Double(count) / Double(max(1, played))
        print(
            "\(played) worlds, \(failures.count) failed, \(String(format: "%.1f s, %.2f", seconds, each)) ms of a core each"
        )
        return failures.isEmpty ? 0 : 1
    }

    /// A line for each event, and in it for each kind of line: in how many worlds they met, with an exact and an
    /// automatic number of downloads.
    private func printMeetings(_ counts: [Int]) {
        let lines = NetworkFault.ofLines
        let width = lines.map(\.rawValue.count).max() ?? 0
        func row(_ first: String, _ cells: [String]) {
            let padded = [first] + cells.map { String(repeating: " ", count: max(0, width - $0.count)) + $0 }
            print(
                padded[0].padding(toLength: 10, withPad: " ", startingAt: 0),
                padded.dropFirst().joined(separator: " ")
            )
        }
        row("", lines.map(\.rawValue))
        for event in Meeting.Event.allCases {
            row(
                event.rawValue,
                lines.map { line in
                    let cell = [false, true].map { isAutomatic in
                        let meeting = Meeting(line: line, event: event, isAutomatic: isAutomatic)
                        return Meeting.all.firstIndex(of: meeting).map { counts[$0] } ?? 0
                    }
                    return "\(cell[0])/\(cell[1])"
                }
            )
        }
        print("\(counts.count { $0 == 0 }) of \(counts.count) never met")
    }

    /// So many worlds a process plays: what killed processes of a world held is never free again.
    private static let mostWorlds: UInt64 = 1_000

    /// Plays the part of one worker, with a new process after some worlds, and after each crash.
    private func play(_ index: Int) {
        let stride = UInt64(count)
        var next = seeds.lowerBound + UInt64(index)
        while next <= seeds.upperBound, !report.withLock({ $0.stops }) {
            let last = min(seeds.upperBound, next + stride * (Self.mostWorlds - 1))
            if let crashed = playPart(index, next...last) {
                note(crashed, "the process crashed")
                next = crashed + stride
            } else {
                next += stride * Self.mostWorlds
            }
        }
    }

    /// - Returns: the seed at which the process ended by itself; `nil` if it did all.
    private func playPart(_ index: Int, _ part: ClosedRange<UInt64>) -> UInt64? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let switches = [
            ("--threads", arguments.usesThreads), ("--verbose", arguments.isVerbose),
            ("--meetings", arguments.countsMeetings),
        ]
        var words = ["--seeds", "\(part.lowerBound)-\(part.upperBound)", "--stride", "\(count)"]
        words += switches.filter(\.1).map(\.0)
        for fault in arguments.forbidden { words += ["--without", fault.rawValue] }
        for fault in arguments.faults { words += ["--with", fault.rawValue] }
        process.arguments = words
        let pipe = Pipe()
        process.standardOutput = pipe
        do { try process.run() } catch { return part.lowerBound }
        var (present, isDone, rest) = (part.lowerBound, false, Data())
        while let data = try? pipe.fileHandleForReading.read(upToCount: 65_536), !data.isEmpty {
            rest += data
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: rest[rest.startIndex..<end], as: UTF8.self)
                rest = Data(rest[(end + 1)...])
                if line == "done" { isDone = true }
                if line.hasPrefix("at "), let seed = UInt64(line.dropFirst(3)) {
                    present = seed
                    report.withLock { report in
                        report.positions[index] = seed
                        report.played += 1
                    }
                }
                if line.hasPrefix("met "), let meeting = Int(line.dropFirst(4)) {
                    report.withLock { $0.meetings[meeting] += 1 }
                }
                if line.hasPrefix("seed ") { print(line) }
                if line.hasPrefix("failed "), let colon = line.firstIndex(of: ":") {
                    note(present, line[colon...].dropFirst(2).description)
                }
            }
            if report.withLock({ $0.stops }) {
                process.terminate()
                isDone = true
            }
        }
        process.waitUntilExit()
        return isDone ? nil : present
    }

    private func note(_ seed: UInt64, _ failure: String) {
        print("seed \(seed): \(failure)")
        // It must not be lost if somebody ends the run before its end.
        fflush(nil)
        report.withLock { report in
            report.failures[seed] = failure
            report.stops = arguments.stopsAtFirst
        }
    }

    private func keepProgress() {
        guard let file = arguments.progressFile, let least = report.withLock({ $0.positions.min() }) else { return }
        try? Data("\(least)\n".utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
    }
}
