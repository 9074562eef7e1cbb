import Spate

/// Holds what was measured against what each file's story promises. It looks at nothing but its values.
struct DemoProof {
    /// What the server saw, in its order.
    var exchanges: [DemoExchange]
    /// How many answers were sent at the same time, at the most.
    var peak: Int
    var verdicts: [String: DemoVerdict]
    var outcome: DemoRun.Outcome
    var kill: DemoKill
    /// Partial files that are still there.
    var partials: [String] = []

    /// A claim for each file, and those about all of them.
    func claims(for files: [DemoFile]) -> [DemoClaim] {
        files.map(claim) + files.filter { $0.story == .killed }.map(secondTime) + totals(of: files)
    }

    func claim(for file: DemoFile) -> DemoClaim {
        let verdict = verdicts[file.name] ?? .missing
        if let failure = outcome.failures[file.name] {
            return DemoClaim(subject: file.name, text: failure, holds: false)
        }
        if let fault = verdict.fault {
            return DemoClaim(subject: file.name, text: fault, holds: false)
        }
        let seen = exchanges.filter { $0.name == file.name }
        if let text = story(of: file, seen) {
            return DemoClaim(subject: file.name, text: text, holds: true)
        }
        let told = seen.map { "\($0.status) from \($0.start ?? 0), \($0.sent) sent" }.joined(separator: "; ")
        return DemoClaim(subject: file.name, text: "right, but not as it was meant: \(told)", holds: false)
    }

    /// What happened to the file, where it is what was meant to; `nil` otherwise.
    private func story(of file: DemoFile, _ seen: [DemoExchange]) -> String? {
        let size = file.finalContent.size
        let statuses = seen.map(\.status)
        let sent = seen.reduce(0) { $0 + $1.sent }
        guard let first = seen.first, let last = seen.last, last.end == .whole else { return nil }
        let again = last.start ?? 0
        switch file.story {
        case .killed:
            guard statuses == [200, 206], kill.wasKilled, kill.exitCode == 0, kill.kept > 0, again == kill.kept,
                last.sent == size - again
            else { return nil }
            return "killed at \(Self.size(again)); a new process asked for the rest alone"
        case .plain:
            guard statuses == [200], sent == size else { return nil }
            return "one request, \(Self.size(sent))"
        case .cutTwice:
            guard statuses == [200, 206, 206], seen.map(\.end) == [.cut, .cut, .whole], sent == size,
                seen[1].start == first.sent
            else { return nil }
            return "cut at \(Self.size(first.sent)) and \(Self.size(again)); no byte was sent twice"
        case .pausedHalfway:
            guard statuses == [200, 206], first.end == .clientLeft, outcome.paused.contains(file.name), again > 0,
                last.sent == size - again
            else { return nil }
            return "paused at \(Self.size(again)); the rest alone was asked for"
        case .refusedOnce:
            let wait = last.began - first.began
            guard statuses == [503, 200], wait >= .seconds(1), last.sent == size else { return nil }
            return "503, Retry-After: 1; came back after \(DownloadFormat.elapsed(wait))"
        case .changed:
            guard statuses == [200, 200], first.end == .cut, last.ifRange != nil, again == first.sent, last.sent == size
            else { return nil }
            return "changed with \(Self.size(first.sent)) here: dropped, the new one fetched"
        case .redirected:
            guard statuses == [302, 200], first.path != last.path, last.sent == size else { return nil }
            return "302 to \(last.path.prefix { $0 != "." })…"
        case .chunked:
            guard statuses == [200], sent == size else { return nil }
            return "in chunks, no length told; whole to the last one"
        case .withoutRanges:
            guard statuses == [200, 200], first.end == .cut, last.start != nil, last.sent == size else { return nil }
            return "cut at \(Self.size(first.sent)); no ranges there, so from the start"
        case .wrongRange:
            guard statuses == [200, 206, 200], seen[1].start == first.sent, last.start == nil, last.sent == size
            else { return nil }
            return "206 for another place than asked: no byte of it taken"
        case .reset:
            guard statuses == [200, again > 0 ? 206 : 200], first.end == .reset, last.sent == size - again else {
                return nil
            }
            return "reset at \(Self.size(first.sent)); went on from \(Self.size(again))"
        }
    }

    /// Two processes fetched it, so the run that followed must have asked for nothing of it.
    private func secondTime(_ file: DemoFile) -> DemoClaim {
        let count = exchanges.count { $0.name == file.name }
        let extra = count > 2 ? PlainText.count(count - 2, "request") : "no request"
        return DemoClaim(
            subject: "already here",
            text: "\(file.name), enqueued once more, cost \(extra)",
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
                text: "\(PlainText.count(exchanges.count, "request")), at most \(peak) answered at once",
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

    private static func size(_ bytes: Int) -> String { DownloadFormat.size(Int64(bytes)) }
}
