import Testing

@testable import SpateProgram

/// Documentation/Messages.md shows the texts.
@Suite struct StopSummaryTests {
    private func partial(_ name: String, _ received: Int64, of total: Int64? = nil) -> StopSummary.Partial {
        StopSummary.Partial(name: name, received: received, total: total)
    }

    @Test func itNamesThePartialFilesAndTheCommandToContinue() {
        var arguments = Arguments()
        arguments.directory = "my files"
        arguments.checksumLists = ["SUMS"]
        let summary = StopSummary(
            kept: [partial("a.iso", 12_300_000, of: 40_000_000), partial("b.iso", 5)],
            notStarted: 3,
            arguments: arguments
        )
        #expect(
            summary.lines == [
                "spate: stopped; partial files kept: a.iso (12.3 MB of 40 MB), b.iso (5 B); 3 downloads had not started.",
                "spate: to continue: spate resume -d 'my files' --checksums SUMS",
            ]
        )
    }

    @Test func whatOnlyWaitedIsResumedToo() {
        let summary = StopSummary(kept: [], notStarted: 1, arguments: Arguments())
        #expect(
            summary.lines == [
                "spate: stopped; there are no partial files; 1 download had not started.",
                "spate: to continue: spate resume",
            ]
        )
    }

    @Test func itPromisesNothingThatIsNotStored() {
        for summary in [
            StopSummary(kept: [partial("a", 1)], notStarted: 1, hadCredentials: true, arguments: Arguments()),
            StopSummary(kept: [partial("a", 1)], notStarted: 1, hadHeaders: true, arguments: Arguments()),
            StopSummary(kept: [partial("a", 1)], notStarted: 1, isQueueKept: false, arguments: Arguments()),
        ] {
            #expect(summary.lines.count == 2)
            #expect(summary.lines[1].hasPrefix("spate: to continue: run the same command again, because "))
        }
    }

    @Test func itDoesNotRepeatHeaders() throws {
        var arguments = Arguments()
        arguments.headers = [try HeaderField("Authorization: Basic c2VjcmV0")]
        let lines = StopSummary(kept: [partial("a", 1)], notStarted: 0, arguments: arguments).lines
        #expect(lines.contains { $0.contains("with the same --header options") })
        #expect(!lines.contains { $0.contains("c2VjcmV0") })
    }

    @Test func itNamesOnlyTheFirstFivePartialFiles() {
        let summary = StopSummary(kept: (1...9).map { partial("f\($0)", 1) }, notStarted: 0, arguments: Arguments())
        #expect(summary.lines[0].hasSuffix("f5 (1 B), 4 more."))
    }
}
