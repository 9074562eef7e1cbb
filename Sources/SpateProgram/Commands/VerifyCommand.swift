import Foundation
import Spate
import SpateConsole

/// `spate verify`: checks the finished files of a folder, with their servers if `--online` is given, and fetches bad ones
/// anew if `--repair` is given.
enum VerifyCommand {
    static func run(_ given: Arguments) throws(UsageError) -> Int32 {
        try given.checkFolderExists()
        try given.checkCertificates()
        var arguments = try given.readingHeaderFiles()
        // An outdated file is repaired by an update. A damaged one is fetched in any case.
        arguments.updates = arguments.asksOnline
        let files = try OptionFiles(arguments)
        let programs = RunningPrograms()
        let sendsRequests = arguments.repairs || arguments.asksOnline
        let relay = sendsRequests ? StopRelay.watching(programs) : nil
        defer { programs.end() }
        let run = VerifyRun(arguments, files, programs)
        relay?.pass(to: { run.stop($0) })
        let outcome = run.finish()
        if let code = outcome.stopReason?.exitCode { return code }
        if !outcome.hasFinishedFiles, !outcome.isBad, !arguments.isQuiet, !arguments.writesJSON {
            StandardStream.error.writeNotice(.nothingToVerify(in: arguments.folder.path))
        }
        let items = outcome.repairs.map { DownloadItem(stored: $0) }
        let prepared = GetCommand.Prepared(arguments: arguments, items: items, files: files)
        let code = try GetCommand.fetch(prepared, programs, relay: relay)
        return code == 0 && outcome.isBad ? 1 : code
    }
}
