import Foundation
import Glibc
import Spate
import SpateConsole

/// A line for people, other than usage errors and progress.
struct Notice: Equatable {
    /// Documentation/Messages.md has an example of each.
    enum Kind: String, CaseIterable, Sendable {
        case emptyList, nothingToFinish, nothingStored, nothingToVerify, nothingOfURL, cancelled, deleted, failure,
            failures, remark, otherName, unknownFiles, unchecked, contradictingLines, logFailed, failedFileIncomplete,
            programOutput, hookFailed, hooksFailed, hooksLeft, hooksAwaited, metalink, unusedOptions, moreNotes,
            binaryContent, contentNotWritten, outputNotWritten
    }

    let kind: Kind
    let text: String

    private init(_ kind: Kind, _ text: String) {
        (self.kind, self.text) = (kind, text)
    }

    private static func names(_ files: some Sequence<String>) -> String {
        files.map { $0 == "-" ? "standard input" : PlainText.oneLine($0) }.joined(separator: ", ")
    }

    /// - Parameters:
    ///   - metalinks: the Metalinks that were read.
    ///   - shard: the requested part of the list.
    static func emptyList(_ files: [String], metalinks: [String] = [], shard: DownloadShard? = nil) -> Notice {
        let names = names(files + metalinks)
        if let shard {
            let text = "No URL in \(names) belongs to part \(shard). Other parts may have all of a short list."
            return Notice(.emptyList, text)
        }
        if files.isEmpty { return Notice(.emptyList, "There is no file in \(names). Give another Metalink.") }
        return Notice(.emptyList, "There is no URL in \(names). Put one URL on each line.")
    }

    /// What of a Metalink's file is not used.
    static func metalink(_ source: String, file: String, _ remark: String) -> Notice {
        Notice(.metalink, "\(source): \(PlainText.oneLine(file)): \(remark)")
    }

    /// Said once for all lists of a run.
    static func unusedOptions(_ unused: UnusedOptions) -> Notice {
        let paused = unused.hasPaused ? " Downloads with pause=true are fetched, too." : ""
        return Notice(
            .unusedOptions,
            "spate: note: \(names(unused.lists)): options of aria2 that Spate does not use: "
                + "\(unused.names.joined(separator: ", ")).\(paused)"
        )
    }

    static let binaryContent = Notice(
        .binaryContent,
        "spate: The content is binary, and standard output is a terminal. To save it, give --output NAME; to see "
            + "it as it is: spate -o - URL | cat"
    )

    /// - Parameter code: of `write` or `read`.
    static func contentNotWritten(code: Int32) -> Notice {
        Notice(
            .contentNotWritten,
            "spate: can't write all of the content to standard output: \(String(cString: strerror(code)))."
        )
    }

    /// Lines of `--json`, a table or a page.
    ///
    /// - Parameter code: of `write`.
    static func outputNotWritten(code: Int32) -> Notice {
        Notice(.outputNotWritten, "spate: can't write to standard output: \(String(cString: strerror(code))).")
    }

    static func nothingToFinish(in folder: String) -> Notice {
        nothing(.nothingToFinish, "is nothing left to do", folder)
    }

    static func nothingStored(in folder: String) -> Notice {
        nothing(.nothingStored, "are no files from Spate", folder)
    }

    static func nothingToVerify(in folder: String) -> Notice {
        nothing(.nothingToVerify, "are no finished files from Spate", folder)
    }

    private static func nothing(_ kind: Kind, _ fact: String, _ folder: String) -> Notice {
        Notice(kind, "There \(fact) in \(folder). For another folder, give --directory DIR.")
    }

    static func nothingOf(_ url: String, in folder: String) -> Notice {
        Notice(
            .nothingOfURL,
            "spate: \(url): There is no file of this URL in \(folder). To list the files there, use spate status."
        )
    }

    /// Cancelled with a key. The other downloads continue.
    static func cancelled(_ url: String) -> Notice {
        Notice(.cancelled, "spate: \(url): The download was cancelled. To fetch it, run the same command again.")
    }

    /// Deleted with a key, together with its files.
    static func deleted(_ url: String) -> Notice {
        Notice(.deleted, "spate: note: \(url): Deleted, with its files.")
    }

    /// A failed download, or an invalid line of a list.
    ///
    /// - Parameter url: the download's URL, if the reason does not name its origin.
    static func failure(_ reason: String, of url: String? = nil) -> Notice {
        Notice(.failure, "spate: \(url.map { "\($0): " } ?? "")\(PlainText.oneLine(reason))")
    }

    /// All failures of a run, by kind.
    static func failures(_ counts: FailureCounts, cure: String?) -> Notice {
        Notice(.failures, "spate: \(counts.text(cure: cure))")
    }

    /// Finished files without a line in the checksum lists.
    static func unchecked(_ count: Int, lists: [String]) -> Notice {
        let (files, verb) = (PlainText.count(count, "file"), count == 1 ? "has" : "have")
        return Notice(.unchecked, "spate: note: \(files) \(verb) no line in \(names(lists)): not checked.")
    }

    /// A file is not checked by the checksum lists, because nobody knows which of two lines is right.
    static func contradictingLines(_ file: String, lists: [String]) -> Notice {
        Notice(
            .contradictingLines,
            "spate: note: \(file): lines of \(names(lists)) contradict each other: not checked."
        )
    }

    /// Said once, before anything is fetched.
    static func unknownFiles(_ files: [String]) -> Notice {
        let text =
            files.count == 1
            ? "\(names(files)) is there, but Spate does not know it, as after a copy: it is fetched again under another "
                + "name. --skip-existing takes the file that is there, --overwrite replaces it."
            : "\(files.count) files are there, but Spate does not know them, as after a copy (\(names(files.prefix(1))), …): "
                + "they are fetched again under other names. --skip-existing takes the files that are there, --overwrite "
                + "replaces them."
        return Notice(.unknownFiles, "spate: note: \(text)")
    }

    /// A remark about a finished file.
    static func remark(_ remark: DownloadRemark, about download: Download, _ state: DownloadState) -> Notice {
        if case .nameTaken(let wanted) = remark, case .finished(let file) = state {
            return otherName(download.url.shown, saved: file.lastPathComponent, wanted: wanted)
        }
        return Notice.remark(download.url.shown, remark.description)
    }

    /// Saved under another name, because something else has that one.
    static func otherName(_ url: String, saved: String, wanted: String) -> Notice {
        let (saved, wanted) = (PlainText.oneLine(saved), PlainText.oneLine(wanted))
        return Notice(
            .otherName,
            "spate: note: \(url): Saved as \(saved), because \(wanted) was taken; --output, --url-folders, "
                + "--skip-existing or --overwrite would change that."
        )
    }

    /// The run continues without the log.
    static func logFailed(_ path: String, reason: String) -> Notice {
        Notice(.logFailed, "spate: can't write --log \(PlainText.oneLine(path)): \(reason). The rest is not logged.")
    }

    /// The run continues without the file of `--failed`.
    static func failedFileIncomplete(_ name: String, reason: String) -> Notice {
        Notice(
            .failedFileIncomplete,
            "spate: can't write --failed \(PlainText.oneLine(name)): \(reason). Some lines are missing there."
        )
    }

    /// A line that a program of `--refresh-command`, `--on-finish` or `--on-failure` has printed.
    static func output(of program: OptionProgram, _ line: String) -> Notice {
        Notice(.programOutput, "spate: \(program.shown): \(PlainText.oneLine(line))")
    }

    static func hookFailed(_ url: String, _ program: OptionProgram, _ failure: ProgramFailure) -> Notice {
        Notice(.hookFailed, "spate: note: \(url): \(failure.text(about: program.shown)).")
    }

    /// The exit code is that of the downloads.
    static func hooksFailed(_ count: Int) -> Notice { Notice(.hooksFailed, "spate: note: \(runs(count)) failed.") }

    static func hooksLeft(_ count: Int) -> Notice {
        Notice(.hooksLeft, "spate: note: \(runs(count)) did not begin. Their downloads have ended.")
    }

    static func hooksAwaited(_ count: Int) -> Notice {
        Notice(.hooksAwaited, "spate: note: All downloads have ended. Waiting for \(runs(count)).")
    }

    private static func runs(_ count: Int) -> String {
        "\(PlainText.count(count, "run")) of --on-finish or --on-failure"
    }

    /// Not each of very many notes has a line.
    static func moreNotes(_ count: Int) -> Notice {
        Notice(.moreNotes, "spate: note: \(PlainText.count(count, "more note")); --verbose prints all.")
    }

    static func remark(_ url: String, _ remark: String) -> Notice {
        Notice(.remark, "spate: note: \(url): \(PlainText.oneLine(remark))")
    }
}

extension StandardStream {
    func writeNotice(_ notice: Notice) {
        writeLine(notice.text)
    }
}
