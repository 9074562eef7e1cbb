import Foundation
import SpateTestSupport
import Testing

/// What many downloads at once take.
@Suite(.takesTurns) struct ManyAtOnceTests {
    private static let file = TestBytes.random(count: 4 << 20)

    /// Each has its connection, and bytes of its own in buffers.
    @Test func sixtyFourTakeAtMost64MiBAndHalfOfTheDescriptors() async throws {
        let few = try await measure(count: 1)
        let many = try await measure(count: 64)
        // Half of what a process usually may have.
        #expect(many.descriptors >= 2 * 64 && many.descriptors <= 512)
        // A sanitizer keeps what was freed.
        if !Sanitizer.isPresent { #expect(many.memory - few.memory <= 64 << 20) }
    }

    /// Once so many have received more than half of their files.
    private func measure(count: Int) async throws -> (memory: Int, descriptors: Int) {
        let folder = try TemporaryFolder()
        let gate = try Gate()
        let server = try TestServer { .file(Self.file, for: $0).gated(after: 3 << 20, gate) }
        let list = (0..<count).map { server.url("/f\($0)").absoluteString }.joined(separator: "\n")
        let run = try SpateRun(["-q", "-x", "1", "-j", "\(count)", "-i", "-"], in: folder, input: list)
        try await gate.reached(times: count)
        let probe = ProcessProbe(pid: run.child.pid)
        var memory = -1
        try await eventually("it takes no more") {
            let before = memory
            memory = try probe.residentBytes
            return memory <= before
        }
        let descriptors = try probe.descriptors.count
        gate.open()
        #expect(try await run.exitCode() == 0, "\(run.child.errors)")
        for number in 0..<count {
            #expect(try TestBytes.difference(folder.bytes("f\(number)"), from: Self.file) == nil)
        }
        return (memory, descriptors)
    }
}
