import Glibc
import SpateFilePaths
import SpateFileSystemCalls
import SpateSimulation
import SpateTestSupport
import Testing

/// What a power cut leaves of a simulated disk.
@Suite(.takesTurns) struct DiskPowerTests {
    /// A disk with one process, and its folder open.
    private struct Scene {
        let timeline: Timeline
        let disk: SimulatedDisk
        let process: SimulatedProcess
        let platform: Platform
        let folder: CInt

        init(_ seed: UInt64, _ kind: DiskTraits.Kind) {
            timeline = Timeline(seed: seed)
            disk = SimulatedDisk(on: timeline, traits: DiskTraits(kind))
            process = SimulatedProcess(100, on: timeline)
            platform = disk.platform(for: process, boot: nil)
            folder = platform.openFolder("/world")
        }

        func make(_ name: FilePath) -> CInt { platform.open(folder, name, O_RDWR | O_CREAT, 0o666) }

        func write(_ file: CInt, _ bytes: [UInt8], at offset: Int64 = 0) {
            let count = bytes.withUnsafeBytes { bytes in
                bytes.baseAddress.map { platform.write(file, $0, bytes.count, offset) } ?? -1
            }
            #expect(count == bytes.count)
        }

        func cutPower() {
            disk.kill(process)
            disk.cutPower()
        }
    }

    private static let kinds: [DiskTraits.Kind] = [.ext4, .xfs, .btrfs, .nfs]
    private let first = [UInt8](repeating: 1, count: 10_000)
    private let second = [UInt8](repeating: 2, count: 30_000)

    @Test(arguments: kinds) func whatWasSyncedSurvives(_ kind: DiskTraits.Kind) {
        for seed in 0..<1_000 as Range<UInt64> {
            let scene = Scene(seed, kind)
            let file = scene.make("new")
            scene.write(file, first)
            let hasAttributes = (try? scene.platform.attributes(file).set("user.one", to: "1")) != nil
            #expect(scene.platform.sync(file) == 0)
            #expect(scene.platform.rename(scene.folder, "new", "final") == 0)
            #expect(scene.platform.sync(scene.folder) == 0)
            // Of another file, which is not synced.
            scene.write(scene.make("other"), second)
            scene.cutPower()
            #expect(scene.disk.content(of: "/world/final") == first, "seed \(seed)")
            #expect(scene.disk.attributes(of: "/world/final") == (hasAttributes ? ["user.one": "1"] : [:]))
            #expect(scene.disk.status(of: "/world/new") == nil)
            #expect(scene.disk.descriptorCount(of: scene.process) == 0)
        }
    }

    @Test(arguments: kinds) func whatWasNotSyncedMayGo(_ kind: DiskTraits.Kind) {
        var (whole, none, mixed, long) = (0, 0, 0, 0)
        for seed in 0..<1_000 as Range<UInt64> {
            let scene = Scene(seed, kind)
            let file = scene.make("file")
            scene.write(file, first)
            #expect(scene.platform.sync(file) == 0 && scene.platform.sync(scene.folder) == 0)
            scene.write(file, second)
            scene.cutPower()
            let left = scene.disk.content(of: "/world/file") ?? []
            // A byte here and there says all of its page.
            let seen = stride(from: 0, to: left.count, by: 500).map { left[$0] }
            #expect(left.count >= first.count && seen.allSatisfy { $0 <= 2 } && !seen[..<20].contains(0))
            if left == second { whole += 1 } else if left == first { none += 1 } else { mixed += 1 }
            if left.count == second.count, seen.contains(0) { long += 1 }
        }
        #expect(whole > 50 && none > 50 && mixed > 50 && long > 20)
    }

    @Test(arguments: kinds) func namesWithoutASyncMayGo(_ kind: DiskTraits.Kind) {
        var (old, new) = (0, 0)
        for seed in 0..<1_000 as Range<UInt64> {
            let scene = Scene(seed, kind)
            #expect(scene.platform.sync(scene.make("old")) == 0)
            #expect(scene.platform.rename(scene.folder, "old", "new") == 0)
            scene.cutPower()
            let names = scene.disk.names(in: "/world")
            // A rename is one step.
            #expect(names == ["old"] || names == ["new"], "seed \(seed)")
            if names == ["old"] { old += 1 } else { new += 1 }
        }
        #expect(old > 50 && new > 50)
    }

    @Test func aNameOfAFileThatWasMadeWithoutOneNeedsItsFoldersSync() {
        var (gone, there) = (0, 0)
        for seed in 0..<1_000 as Range<UInt64> {
            let scene = Scene(seed, .ext4)
            let file = scene.platform.openUnnamed(scene.folder)
            scene.write(file, first)
            #expect(scene.platform.sync(file) == 0)
            #expect(scene.platform.linkUnnamed(file, scene.folder, "final") == 0)
            scene.cutPower()
            let content = scene.disk.content(of: "/world/final")
            #expect(content == nil || content == first)
            if content == nil { gone += 1 } else { there += 1 }
        }
        #expect(gone > 50 && there > 50)
    }

    @Test(arguments: [DiskTraits.Kind.ext4, .xfs, .btrfs])
    func anAttributeMayComeBeforeTheBytes(_ kind: DiskTraits.Kind) throws {
        var early = 0
        for seed in 0..<1_000 as Range<UInt64> {
            let scene = Scene(seed, kind)
            let file = scene.make("file")
            #expect(scene.platform.sync(file) == 0 && scene.platform.sync(scene.folder) == 0)
            scene.write(file, first)
            try scene.platform.attributes(file).set("user.durable", to: "10000")
            scene.cutPower()
            let isMarked = scene.disk.attributes(of: "/world/file") != [:]
            if isMarked, scene.disk.content(of: "/world/file") != first { early += 1 }
        }
        #expect(early > 50)
    }

    @Test func onBtrfsANameMayComeBeforeAnAttribute() throws {
        var stale = 0
        for seed in 0..<1_000 as Range<UInt64> {
            let scene = Scene(seed, .btrfs)
            let file = scene.make("part")
            try scene.platform.attributes(file).set("user.total", to: "10")
            #expect(scene.platform.sync(file) == 0 && scene.platform.sync(scene.folder) == 0)
            try scene.platform.attributes(file).remove("user.total")
            #expect(scene.platform.rename(scene.folder, "part", "final") == 0)
            #expect(scene.platform.sync(scene.folder) == 0)
            scene.cutPower()
            #expect(scene.disk.names(in: "/world") == ["final"])
            if scene.disk.attributes(of: "/world/final") != [:] { stale += 1 }
        }
        #expect(stale > 50)
    }

    @Test func aFailedSyncIsNotMadeGoodByTheNext() {
        var lost = 0
        for seed in 0..<1_000 as Range<UInt64> {
            let scene = Scene(seed, .ext4)
            let file = scene.make("file")
            let other = scene.make("file")
            #expect(scene.platform.sync(file) == 0)
            scene.write(file, first)
            scene.disk.faults.sync = EIO
            #expect(scene.platform.sync(file) < 0 && errno == EIO)
            scene.disk.faults.sync = nil
            #expect(scene.platform.sync(file) == 0)
            // Each open file is told once.
            #expect(scene.platform.sync(other) < 0 && errno == EIO)
            #expect(scene.platform.sync(other) == 0)
            #expect(scene.disk.content(of: "/world/file") == first)
            scene.cutPower()
            if scene.disk.content(of: "/world/file") != first { lost += 1 }
        }
        #expect(lost > 500)
    }

    @Test func itSaysWhatOursDidToOthers() {
        let scene = Scene(1, .ext4)
        scene.disk.plant("/world/theirs", first, attributes: ["user.one": "1"])
        scene.platform.close(scene.make("ours"))
        #expect(scene.platform.unlink(scene.folder, "ours") == 0)
        #expect(scene.disk.changes.contains { $0.isHarm } == false)
        #expect(scene.platform.unlink(scene.folder, "theirs") == 0)
        #expect(scene.disk.changes.filter(\.isHarm).map(\.path) == ["/world/theirs"])
    }
}
