import Foundation
import SpateTestSupport
import Testing

@testable import SpateProgram

@Suite(.mostlyWaits) struct ProgramRunTests {
    private let folder: TemporaryFolder
    private let programs = RunningPrograms()

    init() throws { folder = try TemporaryFolder() }

    private func run(
        _ script: String,
        _ limits: ProgramRun.Limits,
        stop: StopFlag = StopFlag()
    ) throws -> (answer: [UInt8]?, failure: ProgramFailure?) {
        let path = try folder.script("program", "cd \(folder.path)\n\(script)", interpreter: "/bin/bash")
        let program = OptionProgram(name: "program", path: path)
        do throws(ProgramFailure) {
            return (try ProgramRun.run(program, "", limits, among: programs, stop: stop) { _ in }, nil)
        } catch {
            return (nil, error)
        }
    }

    @Test func aProgramThatTakesTooLongIsEndedWithItsChildren() async throws {
        let script = "trap 'echo ended > end; exit 0' TERM; (echo $BASHPID > child; sleep 600) &\n wait"
        let limit = Duration.seconds(2)
        let result = try run(script, .init(time: limit, answerBytes: 10))
        // It had the time to end in order, with status 0. That is no success.
        #expect(result.failure == .tookTooLong(limit) && result.answer == nil)
        #expect(result.failure?.text(about: "p") == "p took longer than 2 seconds")
        #expect(try folder.text("end") == "ended\n")
        try await folder.waitForEnd(of: try await folder.processID(in: "child"))
    }

    @Test func anEndlessAnswerIsCutAndItsProgramEnded() throws {
        let result = try run("trap '' TERM; cat /dev/zero", .init(answerBytes: 1_000))
        #expect(result.failure == .longAnswer(bytes: 1_000))
    }

    @Test func whatChildrenPrintRightAfterTheEndBelongsToTheAnswer() throws {
        let result = try run("(sleep 0.2; echo late) & echo early", .init(answerBytes: 100))
        #expect(result.answer.map { String(decoding: $0, as: UTF8.self) } == "early\nlate\n")
    }

    @Test func noneStartsOnceAllAreEnded() throws {
        programs.end()
        #expect(try run("echo x", .init(answerBytes: 10)).failure == .stopped)
        let stop = StopFlag()
        stop.set()
        #expect(try run("echo x", .init(answerBytes: 10), stop: stop).failure == .stopped)
    }
}
