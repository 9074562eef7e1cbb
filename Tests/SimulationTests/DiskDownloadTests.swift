import Glibc
import HTTPResumption
import HTTPSyntax
import PartialFiles
import Simulation
import TestSupport
import Testing

/// Real partial files on a simulated disk: what is trusted after a kill or a power cut is right.
@Suite(.takesTurns) struct DiskDownloadTests {
    /// What a file of a world has to be.
    private let body = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 / 4_096) }

    private static func boot(_ number: Int) -> BootID? {
        BootID("00000000-0000-0000-0000-" + String(100_000_000_000 + number))
    }

    /// One run of a process: it goes on with what it finds, and publishes the whole.
    ///
    /// - Returns: whether the final name is synced.
    private func run(_ platform: Platform, on timeline: Timeline, _ origin: HTTPURL) throws -> Bool {
        let directory = DownloadDirectory(path: "/world/downloads", platform: platform)
        guard case .partial(let file) = try directory.open(for: origin, naming: .derived) else { throw Found() }
        defer { file.close() }
        var end = Int(file.found.length)
        #expect(try body[..<end].withUnsafeBytes { try file.matches($0, at: 0) })
        if end == 0 {
            try file.truncate(to: 0)
            try file.begin(total: Int64(body.count), validator: .etag("\"v1\""), encoding: nil)
        }
        while end < body.count {
            let next = min(body.count, end + timeline.number(in: 1..<40_000))
            _ = try body[end..<next].withUnsafeBytes { try file.write($0, at: Int64(end)) }
            end = next
            timeline.pass(timeline.time(upTo: .seconds(2)))
            if timeline.onceIn(3) { try file.sync() }
        }
        try file.prepareToPublish(size: Int64(body.count))
        _ = try file.publish(replacing: false)
        let isSynced = Flag()
        file.whenFinalNameIsSynced { _ in isSynced.isSet = true }
        while !isSynced.isSet, timeline.step() {}
        return isSynced.isSet
    }

    /// The file is there, from an earlier run. Nobody has synced its name.
    private struct Found: Error {}

    private final class Flag: @unchecked Sendable {
        var isSet = false
    }

    @Test(arguments: DiskTraits.Kind.allCases) func whatIsTrustedIsRight(_ kind: DiskTraits.Kind) throws {
        let origin = try HTTPURL("http://a.test/file.bin")
        var (kills, resumptions) = (0, 0)
        for seed in 0..<100 as Range<UInt64> {
            let timeline = Timeline(seed: seed)
            let disk = SimulatedDisk(on: timeline, traits: DiskTraits(kind))
            var (turn, isDone, cuts) = (0, false, 0)
            while !isDone, turn < 20 {
                turn += 1
                let process = SimulatedProcess(pid_t(100 + turn), on: timeline)
                var left = turn > 10 ? Int.max : timeline.number(in: 1..<90)
                disk.beforeCall = { process, _ in
                    left -= 1
                    if left == 0 { disk.kill(process) }
                }
                let platform = disk.platform(for: process, boot: Self.boot(cuts))
                var isFound = false
                do { isDone = try run(platform, on: timeline, origin) } catch {
                    isFound = error is Found
                    #expect(!process.isAlive || isFound, "\(error)")
                }
                if !process.isAlive { (kills, isDone) = (kills + 1, false) }
                if isFound, process.isAlive, timeline.onceIn(2) { break }
                resumptions += turn > 1 ? 1 : 0
                #expect(disk.lockCount(of: process) == 0, "seed \(seed)")
                disk.kill(process)
                timeline.removeDead()
                if timeline.onceIn(2), kind != .tmpfs || !isDone {
                    disk.cutPower()
                    cuts += 1
                }
            }
            #expect(disk.content(of: "/world/downloads/file.bin") == body, "seed \(seed), turn \(turn)")
        }
        #expect(kills > 50 && resumptions > 50)
    }
}
