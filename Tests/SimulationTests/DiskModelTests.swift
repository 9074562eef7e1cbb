import Glibc
import SpateFileSystemCalls
import SpateSimulation
import SpateTestSupport
import Testing

/// The simulated disk does what the real file system does.
@Suite(.takesTurns) struct DiskModelTests {
    @Test func randomCallsAreAnsweredAsOnTheRealDisk() throws {
        let files = try TemporaryFolder()
        for seed in 0..<100 as Range<UInt64> {
            let path = files.path("\(seed)")
            mkdir(path, 0o777)
            mkdir(path + "/sub", 0o777)
            symlink("a", path + "/link")
            symlink("loop", path + "/loop")
            mkfifo(path + "/pipe", 0o666)
            let isWatched = seed % 40 == 0
            let real = DiskSide(path, [.native, .native], isWatched: isWatched)

            let timeline = Timeline(seed: seed)
            let disk = SimulatedDisk(on: timeline, traits: DiskTraits(.ext4))
            let processes = [SimulatedProcess(100, on: timeline), SimulatedProcess(200, on: timeline)]
            disk.makeFolder("/world/sub")
            disk.makeSymbolicLink("/world/link", to: "a")
            disk.makeSymbolicLink("/world/loop", to: "loop")
            disk.makePipe("/world/pipe")
            let simulated = DiskSide(
                "/world",
                processes.map { disk.platform(for: $0, boot: nil) },
                isWatched: isWatched
            )

            var random = SeededRandom(seed: seed)
            for step in 0..<250 {
                let call = DiskCall.random(&random)
                let answer = simulated.answer(to: call)
                // A program that another test is starting has copies of all descriptors until it begins. A lock whose
                // file was closed lasts until then, and so does a reader of a pipe.
                let end = SuspendingClock.now + .seconds(10)
                if case .open(let folder, let name, _, _) = call, answer == "error \(ENXIO)" {
                    while real.canBeWritten(name, in: folder), SuspendingClock.now < end { usleep(1_000) }
                }
                var expected = real.answer(to: call)
                while case .lock = call, expected != answer, SuspendingClock.now < end {
                    usleep(1_000)
                    expected = real.answer(to: call)
                }
                try #require(answer == expected, "seed \(seed), step \(step): \(call)")
            }
            #expect(simulated.tree() == real.tree(), "seed \(seed)")
            real.end()
            simulated.end()
            #expect(processes.allSatisfy { disk.descriptorCount(of: $0) == 0 && disk.lockCount(of: $0) == 0 })
        }
    }
}
