import Foundation
import Spate
import SpateConsole

/// `spate verify`: checks the finished files of a folder, and fetches damaged ones anew if `--repair` is given.
enum VerifyCommand {
    static func run(_ given: Arguments) throws(UsageError) -> Int32 {
        try given.checkFolderExists()
        try given.checkAuthorities()
        let arguments = try given.readingHeaderFiles()
        let files = try OptionFiles(arguments)
        let relay = arguments.repairs ? StopRelay.watching() : nil
        let run = VerifyRun(arguments, checksums: files.checksums(in: arguments.folder))
        relay?.pass(to: { run.stop($0) })
        let outcome = run.finish()
        if let code = outcome.stopReason?.exitCode { return code }
        if !outcome.hasFinishedFiles, !outcome.isBad, !arguments.isQuiet, !arguments.writesJSON {
            StandardStream.error.writeNotice(.nothingToVerify(in: arguments.folder.path))
        }
        let items = outcome.repairs.map { DownloadItem(stored: $0) }
        let prepared = GetCommand.Prepared(arguments: arguments, items: items, files: files)
        let code = try GetCommand.fetch(prepared, relay: relay)
        return code == 0 && outcome.isBad ? 1 : code
    }
}
