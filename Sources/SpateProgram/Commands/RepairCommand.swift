import Foundation
import Spate
import SpateConsole

/// `spate repair`: fetches what is damaged of files.
enum RepairCommand {
    static func run(_ given: Arguments) throws(UsageError) -> Int32 {
        try given.checkFolderExists()
        try given.checkCertificates()
        if let log = given.log { try LogFile.check(log) }
        let programs = RunningPrograms()
        let relay = StopRelay.watching(programs, isLive: GetCommand.isLive(given))
        let arguments = try given.readingHeaderFiles()
        try arguments.checkMetalinkSecrets()
        let files = try OptionFiles(arguments)
        let items: [DownloadItem]
        do {
            items = try FilesToRepair(arguments, files).items()
        } catch let error as UsageError {
            throw error
        } catch {
            StandardStream.error.writeNotice(.failure(error.localizedDescription))
            return 1
        }
        try given.checkForOneFile(items.count)
        let prepared = GetCommand.Prepared(arguments: arguments, items: items, files: files)
        return try GetCommand.fetch(prepared, programs, relay: relay)
    }
}
