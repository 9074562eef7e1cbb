import Glibc
import SpateFilePaths
import SpateFileSystemCalls
import SpateSimulation
import SpateTestSupport
import Testing

/// What a simulated disk lacks, and what fails there.
@Suite(.takesTurns) struct DiskFaultTests {
    private let timeline = Timeline(seed: 1)

    private func disk(_ traits: DiskTraits = DiskTraits()) -> (SimulatedDisk, SimulatedProcess, Platform, CInt) {
        let disk = SimulatedDisk(on: timeline, traits: traits)
        let process = SimulatedProcess(100, on: timeline)
        let platform = disk.platform(for: process, boot: nil)
        return (disk, process, platform, platform.openFolder("/world"))
    }

    private func code(_ result: some SignedInteger) -> CInt { result < 0 ? errno : 0 }

    @Test func itLacksWhatItsTraitsLack() {
        var traits = DiskTraits(.ext4)
        (traits.hasUnnamedFiles, traits.renamesWithoutReplacing, traits.hasHardLinks) = (false, false, false)
        (traits.hasBirthTimes, traits.hasWatches, traits.hasLocks, traits.hasAttributes) = (false, false, false, false)
        let (_, _, platform, folder) = disk(traits)
        let file = platform.open(folder, "file", O_RDWR | O_CREAT, 0o666)
        var birth = timespec()
        #expect(code(platform.openUnnamed(folder)) == EOPNOTSUPP)
        #expect(code(platform.renameWithoutReplacing(folder, "file", "other")) == EINVAL)
        #expect(code(platform.link(folder, "file", "other")) == EPERM)
        #expect(code(platform.birthTime(file, &birth)) == ENOTSUP)
        #expect(code(platform.watch(folder)) == EMFILE)
        #expect(code(platform.lock(file, LOCK_EX)) == ENOLCK)
        #expect(throws: (any Error).self) { try platform.attributes(file).set("user.one", to: "1") }
    }

    @Test func callsFailWhileAFaultLasts() {
        let (disk, process, platform, folder) = disk()
        let file = platform.open(folder, "file", O_RDWR | O_CREAT, 0o666)
        var byte: UInt8 = 1
        (disk.faults.write, disk.faults.bytesBeforeFailure) = (ENOSPC, 1)
        #expect(platform.write(file, &byte, 1, 0) == 1)
        #expect(code(platform.write(file, &byte, 1, 1)) == ENOSPC)
        (disk.faults.read, disk.faults.open, disk.faults.names) = (EIO, ENFILE, EROFS)
        #expect(code(platform.read(file, &byte, 1, 0)) == EIO)
        #expect(code(platform.open(folder, "file", O_RDONLY, 0)) == ENFILE)
        #expect(code(platform.unlink(folder, "file")) == EROFS)
        disk.faults = DiskFaults()
        #expect(platform.write(file, &byte, 1, 1) == 1 && platform.unlink(folder, "file") == 0)
        disk.descriptorLimit = disk.descriptorCount(of: process)
        #expect(code(platform.open(folder, "file", O_RDONLY, 0)) == EMFILE)
    }

    @Test func aRemovedFolderTakesNoNewFiles() {
        let (disk, _, platform, _) = disk()
        disk.makeFolder("/world/a")
        let folder = platform.openFolder("/world/a")
        disk.remove("/world/a")
        disk.makeFolder("/world/a")
        #expect(code(platform.open(folder, "file", O_RDWR | O_CREAT, 0o666)) == ENOENT)
        #expect(disk.names(in: "/world/a") == [])
    }
}
