import Foundation
import Spate
import TestSupport
import Testing

/// The program is killed before system calls that open, lock, read or change a file, a fresh download before every one, in
/// a run of its own for each (ResumptionRules.md 71). Nothing in the program knows of it.
@Suite(.takesTurns, .enabled("this system lets no process trace its child", KillPoint.isPossible))
struct KillPointTests {
    private static let needsRoot: Comment = "mounting a file system without attributes needs root"
    /// Beyond a mebibyte: so large that room is reserved, where that is cheap.
    private static let file = TestFile(TestBytes.random(count: 5 * KillScene.block), etag: "\"v2\"")
    private static let small = TestFile(TestBytes.random(count: 3 * KillScene.block), etag: "\"v2\"")
    /// Each connection gets a mebibyte.
    private static let divided = TestFile(TestBytes.random(count: 13 * KillScene.block + 5), etag: "\"v2\"")
    private static let old = TestFile(TestBytes.random(count: 700_000, seed: 2), etag: "\"v1\"")
    /// Of `small`.
    private static let sum = "e05de312e08ec5a123e895da73565a235f5540ed64d85c2880a492e87342a362"

    /// What Spate may leave beside or for the file `f`.
    static let ownNames = ["f", "f.part"]
    static let ownSidecars = [".f.part.spate", ".f.part.spate.tmp", ".f.spate", ".f.spate.tmp"]

    @Test func aFreshDownloadIsKilledAtEachStep() async throws {
        let scene = try KillScene(Self.file, program: "OneDownload")
        // Open, record, reserve, write, mark, rename, and what is tidied up after that.
        let reserving = try scene.reservesRoom() ? ["fallocate unnamed"] : []
        let steps =
            ["openat unnamed", "fsetxattr unnamed"] + reserving
            + ["pwrite64 unnamed", "flock unnamed", "linkat f.part"]
            + ["pwrite64 f.part", "fsync f.part", "renameat2 f.part", "fremovexattr f", "fsync ."]
        try await everyNextRunEndsRight(scene, steps: steps, each: 1, isHeldBack: true)
    }

    @Test func aResumedDownloadIsKilledAtEachStep() async throws {
        let scene = try KillScene(Self.small)
        let steps = [
            "openat f.part", "flock f.part", "pwrite64 f.part", "fsync f.part", "renameat2 f.part",
            "fremovexattr f",
        ]
        try await everyNextRunEndsRight(scene, steps: steps, leftover: (scene.leftover("cut"), kept: 400_000))
    }

    @Test func aDownloadWithAChecksumIsKilledAtEachStep() async throws {
        let scene = try KillScene(Self.small, program: "OneDownload", options: [Self.sum])
        // To verify is to read.
        let steps = ["pwrite64 f.part", "pread64 f.part", "fsync f.part", "renameat2 f.part"]
        try await everyNextRunEndsRight(scene, steps: steps)
    }

    @Test func aFileWithAnotherChecksumIsNeverPublished() async throws {
        let wrong = String(Self.sum.reversed())
        let scene = try KillScene(Self.small, program: "OneDownload", options: [wrong])
        let steps = ["pwrite64 f.part", "pread64 f.part", "ftruncate f.part", "unlinkat f.part"]
        try await KillWalk.points(and: steps, endingWith: 1) { point in
            let folder = try scene.makeFolder()
            let outcome = try await scene.kill(at: point, run: "\(point)", in: folder)
            #expect(scene.bytes("f", in: folder) == nil, "\(outcome)")
            if case .killed(let call) = outcome { #expect(!call.hasPrefix("rename")) }
            #expect(try Set(scene.namesOfFiles(in: folder)).isSubset(of: Self.ownNames), "\(outcome)")
            let held = scene.bytesHeld(in: folder)
            #expect(try await scene.runOn("next \(point)", in: folder) == .status(1), "\(outcome)")
            // What was joined is fetched once more in a single piece, for the fault may be in the joint.
            let size = Self.small.bytes.count
            #expect(
                scene.bytesAnswered(to: "next \(point)") == size
                    + (held > 0 ? size - held + Self.seam(held, of: size) : 0),
                "\(outcome)"
            )
            #expect(try scene.names(in: folder).isEmpty, "\(outcome)")
            return outcome
        }
    }

    @Test(arguments: [true, false])
    func aReplacedFileIsTheOldOneOrTheNewOne(isOwn: Bool) async throws {
        let scene = try KillScene(Self.small, options: ["--overwrite"], earlier: Self.old)
        let leftover = isOwn ? try await scene.leftover("whole") : KillLeftover(stranger: "f", Self.old.bytes)
        // A rename that replaces nothing is tried first.
        let steps = ["pwrite64 f.part", "fsync f.part", "renameat2 f.part", "renameat f.part"]
        try await KillWalk.points(and: steps) { point in
            let folder = try scene.makeFolder()
            try leftover.put(into: folder)
            let outcome = try await scene.kill(at: point, run: "\(point)", in: folder)
            let stands = scene.bytes("f", in: folder) ?? Data()
            let isOld = TestBytes.difference(stands, from: Self.old.bytes) == nil
            #expect(isOld || scene.isFinished(in: folder), "\(outcome)")
            #expect(try Set(scene.namesOfFiles(in: folder)).isSubset(of: Self.ownNames), "\(outcome)")
            let (held, size) = (scene.bytesHeld(in: folder), Self.small.bytes.count)
            #expect(try await scene.runOn("next \(point)", in: folder) == .status(0), "\(outcome)")
            #expect(scene.bytesAnswered(to: "next \(point)") == size - held + Self.seam(held, of: size), "\(outcome)")
            #expect(try scene.isFinished(in: folder) && scene.namesOfFiles(in: folder) == ["f"], "\(outcome)")
            return outcome
        }
    }

    @Test func aDownloadOverThreeConnectionsIsKilledAtEachStep() async throws {
        // The next run asks for the gaps, one after the other.
        let scene = try KillScene(Self.divided, options: ["-x", "3"], nextOptions: ["-x", "1"])
        let steps = ["fsetxattr f.part", "pwrite64 f.part", "fsync f.part", "renameat2 f.part"]
        try await everyNextRunEndsRight(scene, steps: steps)
    }

    @Test func aDownloadThatStartsOverIsKilledAtEachStep() async throws {
        let scene = try KillScene(Self.small, earlier: Self.old)
        let steps = ["ftruncate f.part", "fsetxattr f.part", "pwrite64 f.part", "renameat2 f.part"]
        try await everyNextRunEndsRight(scene, steps: steps, leftover: (scene.leftover("cut"), kept: 0))
    }

    @Test(.enabled(if: TemporaryMount.isPossible, needsRoot))
    func aDownloadWithASidecarIsKilledAtEachStep() async throws {
        let mount = try TemporaryMount(.ramfs)
        let scene = try KillScene(Self.small, program: "OneDownload", in: mount.path)
        let steps = [
            "openat .f.part.spate.tmp", "renameat .f.part.spate.tmp", "pwrite64 f.part", "fsync f.part",
            "fsync .f.part.spate.tmp", "fsync .", "fsync .f.spate.tmp", "renameat .f.spate.tmp", "renameat2 f.part",
            "unlinkat .f.part.spate",
        ]
        try await everyNextRunEndsRight(scene, steps: steps, isHeldBack: true, sidecars: Self.ownSidecars)
    }

    @Test func anEmptyFileIsKilledAtEachStep() async throws {
        let scene = try KillScene(TestFile([], etag: "\"v2\""))
        let steps = ["openat unnamed", "fsetxattr unnamed", "linkat f"]
        try await everyNextRunEndsRight(scene, steps: steps)
    }

    @Test func aFileThatComesWholeLeavesNothingUnlessItIsThere() async throws {
        let scene = try KillScene(TestFile(TestBytes.random(count: 4_096), etag: "\"v2\""), program: "OneDownload")
        let steps = [
            "openat unnamed", "fsetxattr unnamed", "pwrite64 unnamed", "fsync unnamed", "linkat f", "fsync .",
        ]
        try await KillWalk.points(and: steps) { point in
            let folder = try scene.makeFolder()
            let outcome = try await scene.kill(at: point, run: "\(point)", in: folder)
            #expect(try scene.names(in: folder).isEmpty || scene.isFinished(in: folder), "\(outcome)")
            try await nextRunEndsRight(after: "\(point)", outcome, in: folder, scene, sidecars: [])
            return outcome
        }
    }

    @Test func afterTwoKillsTheThirdRunEndsRight() async throws {
        let scene = try KillScene(Self.small, program: "OneDownload")
        try await KillWalk.pairs([3, 5, 8, 10, 12, 14], [2, 4, 6, 8, 10, 12]) { first, second in
            let folder = try scene.makeFolder()
            _ = try await scene.kill(at: .number(first), run: "first", in: folder)
            let held = scene.bytesHeld(in: folder)
            _ = try await scene.kill(at: .number(second), run: "\(first) \(second)", in: folder)
            #expect(scene.bytesHeld(in: folder) >= held || scene.isFinished(in: folder), "\(first), \(second)")
            try await nextRunEndsRight(after: "\(first) \(second)", in: folder, scene)
        }
    }

    @Test func aDeletionIsKilledAtEachStepAndASecondFinishesIt() async throws {
        let scene = try KillScene(Self.small)
        try await deletionIsFinishedByASecond(scene, steps: ["unlinkat f", "unlinkat f.part"])
    }

    @Test(.enabled(if: TemporaryMount.isPossible, needsRoot))
    func aDeletionWithSidecarsIsKilledAtEachStepAndASecondFinishesIt() async throws {
        let mount = try TemporaryMount(.ramfs)
        let scene = try KillScene(Self.small, in: mount.path)
        try await deletionIsFinishedByASecond(
            scene,
            steps: ["unlinkat f", "unlinkat .f.spate", "unlinkat f.part", "unlinkat .f.part.spate"]
        )
    }
}
