import Foundation
import Spate
import SpateConsole

/// Compares the measurements with the promises of each file's scenario. Pure.
struct DemoProof {
    /// The server's requests and responses, in order.
    var exchanges: [DemoExchange]
    /// The highest number of files that were sent at the same time.
    var peak: Int
    /// The highest number of connections that each file had at the same time.
    var connections: [String: Int]
    var verdicts: [String: DemoVerdict]
    var outcome: DemoRun.Outcome
    var kill: DemoKill
    /// The partial files that are left.
    var partials: [String] = []

    /// The claims about each file and about all files.
    func claims(for files: [DemoFile]) -> [DemoClaim] {
        files.map(claim) + files.filter { $0.scenario == .killed }.map(secondTime) + totals(of: files)
    }

    func claim(for file: DemoFile) -> DemoClaim {
        if let fault = outcome.failures[file.name] ?? (verdicts[file.name] ?? .missing).fault {
            return DemoClaim(subject: file.name, text: fault, holds: false)
        }
        let requests = exchanges.filter { $0.name == file.name }
        if let text = scenario(of: file, requests) {
            return DemoClaim(subject: file.name, text: text, holds: true)
        }
        let seen = requests.map { "\($0.status) from \($0.start ?? 0), \($0.sent) sent" }.joined(separator: "; ")
        return DemoClaim(subject: file.name, text: "the file is right, but the requests are not: \(seen)", holds: false)
    }

    /// The events of the file, in words; `nil` if they break the scenario's promise.
    private func scenario(of file: DemoFile, _ seen: [DemoExchange]) -> String? {
        let size = file.finalContent.size
        let statuses = seen.map(\.status)
        let sent = seen.reduce(0) { $0 + $1.sent }
        guard let first = seen.first, let last = seen.last else { return nil }
        if file.scenario == .divided {
            let rest = seen.dropFirst()
            // The server counts a cut connection for a moment longer.
            guard first.status == 200, rest.allSatisfy({ $0.status == 206 && $0.ifRange != nil }),
                connections[file.name] ?? 0 >= 4
            else { return nil }
            return "four connections at once, each for a part of it"
        }
        guard last.end == .whole else { return nil }
        let again = last.start ?? 0
        switch file.scenario {
        case .killed:
            guard statuses == [200, 206], kill.wasKilled, kill.exitCode == 0, kill.kept > 0,
                again == kill.kept - Self.seam,
                last.sent == size - again
            else { return nil }
            return "killed at \(Self.size(kill.kept)); a new process fetched only the rest"
        case .plain, .divided:
            guard statuses == [200], sent == size else { return nil }
            return "one request, \(Self.size(sent))"
        case .cutTwice:
            guard statuses == [200, 206, 206], seen.map(\.end) == [.cut, .cut, .whole], sent == size + 2 * Self.seam,
                seen[1].start == first.sent - Self.seam
            else { return nil }
            let seam = Self.size(Self.seam)
            return "cut at \(Self.size(first.sent)) and \(Self.size(again)); \(seam) twice each time, to compare"
        case .pausedHalfway:
            guard statuses == [200, 206], first.end == .clientLeft, outcome.paused.contains(file.name), again > 0,
                last.sent == size - again
            else { return nil }
            return "paused at \(Self.size(again)); then only the rest was fetched"
        case .refusedOnce:
            let wait = last.began - first.began
            guard statuses == [503, 200], wait >= .seconds(1), last.sent == size else { return nil }
            return "503, Retry-After: 1; retried after \(DownloadFormat.elapsed(wait))"
        case .changed:
            guard statuses == [200, 200], first.end == .cut, last.ifRange != nil, again == first.sent - Self.seam,
                last.sent == size
            else { return nil }
            return "changed at \(Self.size(first.sent)): old part dropped, new file fetched"
        case .redirected:
            guard statuses == [302, 200], first.path != last.path, last.sent == size else { return nil }
            return "302 to \(last.path.prefix { $0 != "." })…"
        case .chunked:
            guard statuses == [200], sent == size else { return nil }
            return "chunked, without a length; complete to the last chunk"
        case .withoutRanges:
            guard statuses == [200, 200], first.end == .cut, last.start != nil, last.sent == size else { return nil }
            return "cut at \(Self.size(first.sent)); no range support, so from the start"
        case .wrongRange:
            guard statuses == [200, 206, 200], seen[1].start == first.sent - Self.seam, last.start == nil,
                last.sent == size
            else { return nil }
            return "206 with the wrong range: no byte of it was written"
        case .reset:
            guard statuses == [200, again > 0 ? 206 : 200], first.end == .reset, last.sent == size - again else {
                return nil
            }
            return "reset at \(Self.size(first.sent)); continued from \(Self.size(again))"
        }
    }

    /// Two processes have fetched the file, so the run afterwards must not request it.
    private func secondTime(_ file: DemoFile) -> DemoClaim {
        let count = exchanges.count { $0.name == file.name }
        let extra = count > 2 ? PlainText.count(count - 2, "request") : "no request"
        return DemoClaim(
            subject: "already here",
            text: "\(file.name), enqueued again, made \(extra)",
            holds: count == 2 && outcome.failures[file.name] == nil
        )
    }

    private func totals(of files: [DemoFile]) -> [DemoClaim] {
        let right = files.count { verdicts[$0.name] == .right }
        let bytes = files.reduce(0) { $0 + $1.finalContent.size }
        let sent = exchanges.reduce(0) { $0 + $1.sent }
        return [
            DemoClaim(
                subject: "every byte",
                text: "\(right) of \(files.count) files are right to the byte, \(Self.size(bytes))",
                holds: right == files.count
            ),
            DemoClaim(
                subject: "three at a time",
                text: "\(PlainText.count(exchanges.count, "request")), at most \(peak) at once",
                holds: peak <= 3
            ),
            DemoClaim(
                subject: "nothing left over",
                text: "\(partials.isEmpty ? "no" : "\(partials.count)") partial files; "
                    + "\(Self.size(sent)) sent for \(Self.size(bytes))",
                holds: partials.isEmpty
            ),
        ]
    }

    /// The length of the compared overlap.
    private static let seam = 4_096

    private static func size(_ bytes: Int) -> String { DownloadFormat.size(Int64(bytes)) }
}

/// A claim, and whether the demo has proven it.
struct DemoClaim: Sendable, Equatable {
    var subject: String
    /// The measurement, in words.
    var text: String
    var holds: Bool

    /// The claim as a line of a table.
    var line: String {
        let gap = String(repeating: " ", count: max(1, 21 - subject.count))
        return "\(holds ? "✓" : "✗") \(subject)\(gap)\(text)"
    }
}

/// The result of comparing a file on disk with the bytes that it must have.
enum DemoVerdict: Sendable, Equatable {
    case right
    case missing
    case size(Int)
    case differs(at: Int)

    /// Reads the file and compares every byte.
    init(of file: URL, against content: DemoContent) {
        guard let handle = try? FileHandle(forReadingFrom: file) else {
            self = .missing
            return
        }
        defer { try? handle.close() }
        var offset = 0
        while let data = try? handle.read(upToCount: 1 << 20), !data.isEmpty {
            guard offset + data.count <= content.size else {
                self = .size(offset + data.count)
                return
            }
            let expected = content.bytes(offset..<(offset + data.count))
            if let index = Self.firstDifference(Array(data), expected) {
                self = .differs(at: offset + index)
                return
            }
            offset += data.count
        }
        self = offset == content.size ? .right : .size(offset)
    }

    private static func firstDifference(_ one: [UInt8], _ other: [UInt8]) -> Int? {
        // Compare the whole first. Byte by byte is a hundred times slower in a debug build.
        one == other ? nil : zip(one, other).enumerated().first { $1.0 != $1.1 }?.offset
    }

    /// The fault, in a few words; `nil` if there is none.
    var fault: String? {
        switch self {
        case .right: nil
        case .missing: "the file is missing"
        case .size(let size): "the file has the wrong size: \(size) bytes or more"
        case .differs(let offset): "the byte at \(offset) is wrong"
        }
    }
}
