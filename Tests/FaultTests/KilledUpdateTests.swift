import Foundation
import TestSupport
import Testing

/// An update of a finished file is killed before every system call (ResumptionRules.md 71). The file is the old one or the new
/// one at each moment, and the next run ends right.
@Suite(.takesTurns, .enabled("this system lets no process trace its child", KillPoint.isPossible))
struct KilledUpdateTests {
    private static let needsRoot: Comment = "mounting a file system without attributes needs root"
    private static let new = TestFile(TestBytes.random(count: 3 * KillScene.block), etag: "\"v2\"")
    private static let old = TestFile(TestBytes.random(count: 900_000, seed: 2), etag: "\"v1\"")

    @Test func aChangedFile() async throws {
        let scene = try KillScene(Self.new, options: ["--update"], earlier: Self.old)
        let steps = [
            "openat unnamed", "fsetxattr unnamed", "pwrite64 unnamed", "flock unnamed", "linkat f.part",
            "pwrite64 f.part", "fsync f.part", "renameat2 f.part", "renameat f.part",
        ]
        try await theOldOneStaysUntilTheNewOneIsThere(scene, steps)
    }

    @Test func aChangedFileThatIsResumed() async throws {
        let scene = try KillScene(Self.new, options: ["--update"], earlier: Self.old)
        let part = try await scene.leftover("cutnew")
        let steps = ["openat f.part", "pwrite64 f.part", "fsync f.part", "renameat f.part"]
        try await theOldOneStaysUntilTheNewOneIsThere(scene, steps, beside: part)
    }

    @Test(.enabled(if: TemporaryMount.isPossible, needsRoot))
    func aChangedFileWithASidecar() async throws {
        let mount = try TemporaryMount(.ramfs)
        let scene = try KillScene(Self.new, options: ["--update"], in: mount.path, earlier: Self.old)
        let steps = [
            "pwrite64 f.part", "fsync .f.spate.tmp", "renameat2 f.part", "renameat f.part", "renameat .f.spate.tmp",
            "unlinkat .f.part.spate",
        ]
        try await theOldOneStaysUntilTheNewOneIsThere(scene, steps, sidecars: KillPointTests.ownSidecars)
    }

    @Test func anUnchangedFile() async throws {
        let scene = try KillScene(Self.new, options: ["--update"])
        let leftover = try await scene.leftover("whole")
        try await KillWalk.points(and: ["openat unnamed"]) { point in
            let folder = try scene.makeFolder()
            try leftover.put(into: folder)
            let outcome = try await scene.kill(at: point, run: "\(point)", in: folder)
            #expect(
                try scene.isFinished(in: folder)
                    && scene.namesOfFiles(in: folder).allSatisfy(KillPointTests.ownNames.contains)
            )
            #expect(try await scene.runOn("next \(point)", in: folder) == .status(0), "\(outcome)")
            #expect(scene.bytesAnswered(to: "next \(point)") == 0, "\(outcome)")
            #expect(try scene.isFinished(in: folder) && scene.names(in: folder) == ["f"], "\(outcome)")
            return outcome
        }
    }

    private func theOldOneStaysUntilTheNewOneIsThere(
        _ scene: KillScene,
        _ steps: [String],
        beside part: KillLeftover = KillLeftover(),
        sidecars: [String] = []
    ) async throws {
        let leftover = try await scene.leftover("whole").merging(part)
        try await KillWalk.points(and: steps) { point in
            let folder = try scene.makeFolder()
            try leftover.put(into: folder)
            let outcome = try await scene.kill(at: point, run: "\(point)", in: folder)
            let isNew = scene.isFinished(in: folder)
            #expect(isNew || scene.bytes("f", in: folder) == Data(Self.old.bytes), "\(outcome)")
            #expect(
                try Set(scene.namesOfFiles(in: folder)).isSubset(of: KillPointTests.ownNames + sidecars),
                "\(outcome)"
            )
            let held = isNew ? Self.new.bytes.count : scene.bytesHeld(in: folder)
            #expect(try await scene.runOn("next \(point)", in: folder) == .status(0), "\(outcome)")
            // The seam is compared.
            let seam = isNew ? 0 : KillPointTests.seam(held, of: Self.new.bytes.count)
            #expect(scene.bytesAnswered(to: "next \(point)") == Self.new.bytes.count - held + seam, "\(outcome)")
            #expect(scene.isFinished(in: folder), "\(outcome)")
            let names = try scene.names(in: folder)
            #expect(names == (sidecars.isEmpty ? ["f"] : [".f.spate", "f"]), "\(outcome)")
            return outcome
        }
    }
}
