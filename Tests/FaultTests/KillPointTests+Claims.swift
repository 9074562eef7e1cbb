import Foundation
import TestSupport
import Testing

/// What is claimed of every kill.
extension KillPointTests {
    /// At once after the run the final name is free or has the whole file, and nothing is there that Spate does not make;
    /// the next run fetches what is missing, to the byte, and leaves the file alone behind.
    ///
    /// - Parameter sidecars: what there may be besides the file and the partial file.
    func nextRunEndsRight(
        after run: String,
        _ outcome: KillPoint.Outcome? = nil,
        in folder: TemporaryFolder,
        _ scene: KillScene,
        sidecars: [String] = []
    ) async throws {
        let place: Comment = "run \(run), \(outcome.map { "\($0)" } ?? "")"
        let isFinished = scene.isFinished(in: folder)
        #expect(isFinished || scene.bytes("f", in: folder) == nil, place)
        #expect(try Set(scene.names(in: folder)).isSubset(of: Self.ownNames + sidecars), place)
        let size = scene.file.bytes.count
        let held = isFinished ? size : scene.bytesHeld(in: folder)

        #expect(try await scene.runOn("after \(run)", in: folder) == .status(0), place)
        #expect(scene.bytesAnswered(to: "after \(run)") == size - held, place)
        #expect(scene.isFinished(in: folder), place)
        #expect(try scene.names(in: folder) == (sidecars.isEmpty ? ["f"] : [".f.spate", "f"]), place)
    }

    /// A whole file and a part of another are there; whatever a deletion that was killed has left of them, the next
    /// takes away.
    func deletionIsFinishedByASecond(_ scene: KillScene, steps: [String]) async throws {
        let leftover = try await scene.leftover("whole").merging(scene.leftover("cut"))
        try await KillWalk.everyPoint(and: steps) { point in
            let folder = try scene.makeFolder()
            try leftover.put(into: folder)
            let path = try BuiltProgram.path("spate")
            let outcome = try await KillPoint(point, path, ["delete", scene.url], in: folder.path).outcome()
            let left = try scene.names(in: folder)
            let second = try CrashProgram.start(["delete", scene.url], in: folder.path)
            // It says so where there is nothing left for it.
            let isAnything = left.contains { Self.ownNames.contains($0) }
            #expect(try await second.waitForExit() == .status(isAnything ? 0 : 1), "\(outcome), \(second.errors)")
            #expect(try scene.names(in: folder).isEmpty, "\(outcome)")
            return outcome
        }
    }
}
