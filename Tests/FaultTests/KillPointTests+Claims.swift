import Foundation
import TestSupport
import Testing

/// What holds after every kill.
extension KillPointTests {
    /// How much of what is there is asked for again, to compare the seam.
    static func seam(_ held: Int, of size: Int) -> Int { held < size ? min(held, 4_096) : 0 }

    /// After the kill the final name is free or has the whole file, and nothing is there that Spate does not make.
    /// The next run fetches what is missing, and the seams, and leaves the file alone.
    ///
    /// - Parameter sidecars: what else may be there beside the file and the partial file.
    func nextRunEndsRight(
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
    func everyNextRunEndsRight(
        _ scene: KillScene,
        steps: [String],
        each stride: Int = 3,
        leftover: (files: KillLeftover, kept: Int) = (KillLeftover(), 0),
        isHeldBack: Bool = false,
        sidecars: [String] = []
    ) async throws {
        try await KillWalk.points(and: steps, each: stride) { point in
            let folder = try scene.makeFolder()
            try leftover.files.put(into: folder)
            let outcome = try await scene.kill(at: point, run: "\(point)", in: folder, isHeldBack: isHeldBack)
            #expect(scene.bytesHeld(in: folder) >= leftover.kept || scene.isFinished(in: folder), "\(outcome)")
            try await nextRunEndsRight(after: "\(point)", outcome, in: folder, scene, sidecars: sidecars)
            return outcome
        }
    }

    /// A whole file and a part of another are there. What a killed deletion leaves, the next removes.
    func deletionIsFinishedByASecond(_ scene: KillScene, steps: [String]) async throws {
        let leftover = try await scene.leftover("whole").merging(scene.leftover("cut"))
        try await KillWalk.points(and: steps) { point in
            let folder = try scene.makeFolder()
            try leftover.put(into: folder)
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
