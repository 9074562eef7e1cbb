import Foundation
import Spate
import SpateTestSupport
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
    private static let ownNames = ["f", "f.part"]
    private static let ownSidecars = [".f.part.spate", ".f.part.spate.tmp", ".f.spate", ".f.spate.tmp"]

    @Test func aFreshDownloadIsKilledAtEachStep() async throws {
        let scene = try KillScene(Self.file, program: "SpateOneDownload")
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
        let scene = try KillScene(Self.small, program: "SpateOneDownload", options: [Self.sum])
        // To verify is to read.
        let steps = ["pwrite64 f.part", "pread64 f.part", "fsync f.part", "renameat2 f.part"]
        try await everyNextRunEndsRight(scene, steps: steps)
    }

    @Test func aFileWithAnotherChecksumIsNeverPublished() async throws {
        let wrong = String(Self.sum.reversed())
        let scene = try KillScene(Self.small, program: "SpateOneDownload", options: [wrong])
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

    // MARK: Files that are replaced

    @Test(arguments: [true, false]) func anOverwrittenFileIsTheOldOneOrTheNewOne(isOwn: Bool) async throws {
        let scene = try KillScene(Self.small, options: ["--overwrite"], earlier: Self.old)
        let leftover = isOwn ? try await scene.leftover("whole") : try KillLeftover(stranger: "f", Self.old.bytes)
        // A rename that replaces nothing is tried first.
        let steps = ["pwrite64 f.part", "fsync f.part", "renameat2 f.part", "renameat f.part"]
        try await theOldOneStaysUntilTheNewOneIsThere(scene, leftover, steps: steps, overwrites: true)
    }

    @Test func anUpdatedFileIsTheOldOneOrTheNewOne() async throws {
        let scene = try KillScene(Self.small, options: ["--update"], earlier: Self.old)
        let steps = [
            "openat unnamed", "fsetxattr unnamed", "pwrite64 unnamed", "flock unnamed", "linkat f.part",
            "pwrite64 f.part", "fsync f.part", "renameat2 f.part", "renameat f.part",
        ]
        try await theOldOneStaysUntilTheNewOneIsThere(scene, scene.leftover("whole"), steps: steps)
    }

    @Test func anUpdateThatIsResumedLeavesTheOldOneOrTheNewOne() async throws {
        let scene = try KillScene(Self.small, options: ["--update"], earlier: Self.old)
        let leftover = try await scene.leftover("whole").merging(scene.leftover("cutnew"))
        let steps = ["openat f.part", "pwrite64 f.part", "fsync f.part", "renameat f.part"]
        try await theOldOneStaysUntilTheNewOneIsThere(scene, leftover, steps: steps)
    }

    @Test(.enabled(if: TemporaryMount.isPossible, needsRoot))
    func anUpdatedFileWithASidecarIsTheOldOneOrTheNewOne() async throws {
        let mount = try TemporaryMount(.ramfs)
        let scene = try KillScene(Self.small, options: ["--update"], in: mount.path, earlier: Self.old)
        let steps = [
            "pwrite64 f.part", "fsync .f.spate.tmp", "renameat2 f.part", "renameat f.part", "renameat .f.spate.tmp",
            "unlinkat .f.part.spate",
        ]
        let leftover = try await scene.leftover("whole")
        try await theOldOneStaysUntilTheNewOneIsThere(scene, leftover, steps: steps, sidecars: Self.ownSidecars)
    }

    @Test func aFileThatNeedsNoUpdateIsLeftAlone() async throws {
        let scene = try KillScene(Self.small, options: ["--update"])
        let leftover = try await scene.leftover("whole")
        try await KillWalk.points(and: ["openat unnamed"]) { point in
            let folder = try scene.makeFolder()
            try await leftover.put(into: folder)
            let outcome = try await scene.kill(at: point, run: "\(point)", in: folder)
            #expect(scene.isFinished(in: folder), "\(outcome)")
            #expect(try Set(scene.namesOfFiles(in: folder)).isSubset(of: Self.ownNames), "\(outcome)")
            #expect(try await scene.runOn("next \(point)", in: folder) == .status(0), "\(outcome)")
            #expect(scene.bytesAnswered(to: "next \(point)") == 0, "\(outcome)")
            #expect(try scene.isFinished(in: folder) && scene.names(in: folder) == ["f"], "\(outcome)")
            return outcome
        }
    }

    // MARK: Other downloads

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
        let scene = try KillScene(Self.small, program: "SpateOneDownload", in: mount.path)
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
        let scene = try KillScene(TestFile(TestBytes.random(count: 4_096), etag: "\"v2\""), program: "SpateOneDownload")
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
        let scene = try KillScene(Self.small, program: "SpateOneDownload")
        try await together([3, 8, 12].flatMap { first in [2, 6, 10].map { (first, $0) } }) { pair in
            let ((first, second), folder) = (pair, try scene.makeFolder())
            _ = try await scene.kill(at: .number(first), run: "first", in: folder)
            let held = scene.bytesHeld(in: folder)
            _ = try await scene.kill(at: .number(second), run: "\(first) \(second)", in: folder)
            #expect(scene.bytesHeld(in: folder) >= held || scene.isFinished(in: folder), "\(first), \(second)")
            try await nextRunEndsRight(after: "\(first) \(second)", in: folder, scene)
        }
    }

    // MARK: Deletions

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

    // MARK: What holds after every kill

    /// How much of what is there is asked for again, to compare the seam.
    private static func seam(_ held: Int, of size: Int) -> Int { held < size ? min(held, 4_096) : 0 }

    /// After the kill the final name is free or has the whole file, and nothing is there that Spate does not make.
    /// The next run fetches what is missing, and the seams, and leaves the file alone.
    ///
    /// - Parameter sidecars: what else may be there beside the file and the partial file.
    private func nextRunEndsRight(
        after run: String,
        _ outcome: KillPoint.Outcome? = nil,
        in folder: TemporaryFolder,
        _ scene: KillScene,
        sidecars: [String] = []
    ) async throws {
        let comment: Comment = "run \(run), \(outcome.map { "\($0)" } ?? "")"
        let isFinished = scene.isFinished(in: folder)
        #expect(isFinished || scene.bytes("f", in: folder) == nil, comment)
        #expect(try Set(scene.namesOfFiles(in: folder)).isSubset(of: Self.ownNames + sidecars), comment)
        let size = scene.file.bytes.count
        let held = isFinished ? size : scene.bytesHeld(in: folder)

        #expect(try await scene.runOn("after \(run)", in: folder) == .status(0), comment)
        // At the ends of each gap 4 KiB are compared.
        let seams = 0...(isFinished || held == 0 ? 0 : 8 * 4_096)
        #expect(seams.contains(scene.bytesAnswered(to: "after \(run)") - (size - held)), comment)
        #expect(scene.isFinished(in: folder), comment)
        #expect(try scene.names(in: folder) == (sidecars.isEmpty ? ["f"] : [".f.spate", "f"]), comment)
    }

    /// Kills a run at every third call, or as `each` says, and at each of `steps`; after each kill the next run ends right.
    ///
    /// - Parameters:
    ///   - leftover: what is in the folder before the run, and how many of its bytes no kill may lose.
    ///   - isHeldBack: whether the server waits in the middle until the durable mark has moved.
    private func everyNextRunEndsRight(
        _ scene: KillScene,
        steps: [String],
        each stride: Int = 3,
        leftover: (files: KillLeftover, kept: Int) = (KillLeftover(), 0),
        isHeldBack: Bool = false,
        sidecars: [String] = []
    ) async throws {
        try await KillWalk.points(and: steps, each: stride) { point in
            let folder = try scene.makeFolder()
            try await leftover.files.put(into: folder)
            let outcome = try await scene.kill(at: point, run: "\(point)", in: folder, isHeldBack: isHeldBack)
            #expect(scene.bytesHeld(in: folder) >= leftover.kept || scene.isFinished(in: folder), "\(outcome)")
            try await nextRunEndsRight(after: "\(point)", outcome, in: folder, scene, sidecars: sidecars)
            return outcome
        }
    }

    /// - Parameter overwrites: whether the next run fetches the new one again.
    private func theOldOneStaysUntilTheNewOneIsThere(
        _ scene: KillScene,
        _ leftover: KillLeftover,
        steps: [String],
        overwrites: Bool = false,
        sidecars: [String] = []
    ) async throws {
        try await KillWalk.points(and: steps) { point in
            let folder = try scene.makeFolder()
            try await leftover.put(into: folder)
            let outcome = try await scene.kill(at: point, run: "\(point)", in: folder)
            let (isNew, stands) = (scene.isFinished(in: folder), scene.bytes("f", in: folder) ?? Data())
            #expect(isNew || TestBytes.difference(stands, from: Self.old.bytes) == nil, "\(outcome)")
            #expect(try Set(scene.namesOfFiles(in: folder)).isSubset(of: Self.ownNames + sidecars), "\(outcome)")
            let size = Self.small.bytes.count
            let held = isNew && !overwrites ? size : scene.bytesHeld(in: folder)
            #expect(try await scene.runOn("next \(point)", in: folder) == .status(0), "\(outcome)")
            let answered = scene.bytesAnswered(to: "next \(point)")
            #expect(answered == size - held + Self.seam(held, of: size) && scene.isFinished(in: folder), "\(outcome)")
            let names = try overwrites ? scene.namesOfFiles(in: folder) : scene.names(in: folder)
            #expect(names == (sidecars.isEmpty ? ["f"] : [".f.spate", "f"]), "\(outcome)")
            return outcome
        }
    }

    /// A whole file and a part of another are there. What a killed deletion leaves, the next removes.
    private func deletionIsFinishedByASecond(_ scene: KillScene, steps: [String]) async throws {
        let leftover = try await scene.leftover("whole").merging(scene.leftover("cut"))
        try await KillWalk.points(and: steps) { point in
            let folder = try scene.makeFolder()
            try await leftover.put(into: folder)
            let path = try BuiltProgram.path("spate")
            let outcome = try await KillPoint(point, path, ["delete", scene.url], in: folder.path).outcome()
            let left = try scene.names(in: folder)
            let second = try CrashProgram.start(["delete", scene.url], in: folder.path)
            // Where nothing is left to delete, it says so.
            let isAnything = left.contains { Self.ownNames.contains($0) }
            #expect(try await second.waitForExit() == .status(isAnything ? 0 : 1), "\(outcome), \(second.errors)")
            #expect(try scene.names(in: folder).isEmpty, "\(outcome)")
            return outcome
        }
    }
}
