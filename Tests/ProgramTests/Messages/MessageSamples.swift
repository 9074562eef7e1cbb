import Spate
import SpateConsole
import SpateDemo

@testable import SpateProgram

/// Examples of messages that are not usage errors of the command line.
enum MessageSamples {
    static let demoFolder = UsageError(DemoFailure.folder("/tmp", 28))
    static let demoServer = UsageError(DemoFailure.server(24))

    static let noTerminal = GetCommand.noTerminal

    static let contentFolder = ContentCommand.noFolder(in: "/tmp", 28)

    private static let program = OptionProgram(name: "./notify", path: "/notify")
    private static let url = "https://example.com/a.iso"

    private static let failures: FailureCounts = {
        var failures = FailureCounts()
        failures.note(DownloadError(.hostNotFound, ""))
        for _ in 1...3 { failures.note(DownloadError(.httpStatus, "", statusCode: 404)) }
        return failures
    }()

    private static let unused: UnusedOptions = {
        var (unused, all) = (UnusedOptions(), UnusedOptions())
        for (name, value) in [("gid", "1"), ("split", "5"), ("pause", "true")] { _ = unused.note(name, value) }
        all.add(unused, of: "list.txt")
        return all
    }()

    static let notices: [(when: String, notice: Notice)] = [
        ("a list contains only comments (exit code 0)", .emptyList(["urls.txt", "-"])),
        ("a Metalink has no files (exit code 0)", .emptyList([], metalinks: ["files.meta4"])),
        ("a part of a list is empty (exit code 0)", .emptyList(["urls.txt"], shard: DownloadShard(3, of: 64))),
        ("`resume` finds no partial file (exit code 0)", .nothingToFinish(in: "FOLDER")),
        ("`status` finds no file (exit code 0)", .nothingStored(in: "FOLDER")),
        ("`verify` finds no finished file (exit code 0)", .nothingToVerify(in: "FOLDER")),
        ("`delete` finds no file of a URL (exit code 1)", .nothingOf(url, in: "FOLDER")),
        ("lists have options that only aria2 has (exit code 0)", .unusedOptions(unused)),
        ("a download was cancelled with a key (exit code 1)", .cancelled(url)),
        ("a download was deleted with a key (exit code 1)", .deleted(url)),
        ("a download failed (exit code 1)", .failure("404 Not Found", of: url)),
        ("several failed: the last line counts them by kind (exit code 1)", .failures(failures, cure: "spate resume")),
        (
            "an invalid line after the first 1,000 URLs of a list (exit code 1)",
            .failure(DownloadURL.fault(of: "nonsense").found(at: "urls.txt, line 1204").message)
        ),
        (
            "a remark about a finished download (exit code 0)",
            .remark(url, "The server sent no length.")
        ),
        ("there were more than 100 remarks", .moreNotes(12)),
        (
            "a file has another name than in its URL (exit code 0)",
            .otherName(url, saved: "a-1a2b3c4d.iso", wanted: "a.iso")
        ),
        ("the disk of `--log` is full (exit code 0)", .logFailed("spate.log", reason: "No space left on device")),
        (
            "the disk of `--failed` is full (exit code 1)",
            .failedFileIncomplete("failed.txt", reason: "No space left on device")
        ),
        (
            "a program of `--refresh-command`, `--on-finish` or `--on-failure` says something",
            .output(of: program, "the token is valid for an hour")
        ),
        (
            "something in a Metalink is not used",
            .metalink("files.meta4", file: "a.iso", "2 URLs are not used: only http and https are")
        ),
        ("a hook fails (exit code of the downloads)", .hookFailed(url, program, .status(3))),
        ("hooks have failed (exit code of the downloads)", .hooksFailed(2)),
        ("downloads have ended, and hooks still run two seconds later", .hooksAwaited(2)),
        ("Ctrl-C or a signal comes while hooks wait", .hooksLeft(3)),
        ("`-o -` would write a binary file to a terminal (exit code 1)", .binaryContent),
        ("`-o -` can't write (exit code 1)", .contentNotWritten(code: 28)),
        (
            "standard output can't be written, but was not closed: its disk is full (exit code 1)",
            .outputNotWritten(code: 28)
        ),
        ("a file is there that Spate did not make, as in a copied folder (exit code 0)", .unknownFiles(["a.iso"])),
        ("several such files are there (exit code 0)", .unknownFiles(["a.iso", "b.iso"])),
        ("files have no line in the lists of `--checksums` (exit code 0)", .unchecked(2, lists: ["SHA256SUMS"])),
        (
            "two lines of `--checksums` that fit a file equally well have different checksums (exit code 0)",
            .contradictingLines(url, lists: ["SHA256SUMS"])
        ),
    ]

    static let summaries: [(when: String, summary: StopSummary)] = {
        func parsed(_ words: [String]) -> Arguments {
            (try? ArgumentParser.parse(["-d", "my disks", url] + words)) ?? Arguments()
        }
        let arguments = parsed([])
        let kept = [StopSummary.Partial(name: "a.iso", received: 12_300_000, total: 40_000_000)]
        func stopped(_ notStarted: Int, _ change: (inout StopSummary) -> Void = { _ in }) -> StopSummary {
            var summary = StopSummary(kept: kept, notStarted: notStarted, arguments: arguments)
            change(&summary)
            return summary
        }
        let withHeader = parsed(["--header", "X-Token: t"])
        return [
            ("some had started", stopped(2)),
            ("none had started", StopSummary(kept: [], notStarted: 3, arguments: arguments)),
            ("headers were given", StopSummary(kept: kept, notStarted: 0, arguments: withHeader)),
            ("a URL had a password", stopped(0) { $0.hadCredentials = true }),
            ("a list gave headers", stopped(0) { $0.hadHeaders = true }),
            ("the disk was full, so that the queue could not be stored", stopped(1) { $0.isQueueKept = false }),
            ("with `-o -`", stopped(0) { $0.arguments.output = "-" }),
            ("a list was still being read", stopped(9) { $0.listHasMore = true }),
        ]
    }()
}
