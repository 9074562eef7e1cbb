import Foundation
import Spate
import SpateConsole

/// `spate repair`: fetches what is damaged of files.
enum RepairCommand {
    static func run(_ given: Arguments) throws -> Int32 {
        try given.checkFolderExists()
        try given.checkCertificates()
        if let log = given.log { try LineFile.Option.log.check(log) }
        let programs = RunningPrograms()
        let relay = StopRelay.watching(programs, isLive: GetCommand.isLive(given))
        let arguments = try given.readingHeaderFiles()
        try arguments.checkMetalinkSecrets()
        let files = try OptionFiles(arguments)
        let items = try FilesToRepair(arguments: arguments, files: files).items()
        try given.checkForOneFile(items.count)
        let prepared = GetCommand.Prepared(arguments: arguments, items: items, files: files)
        return try GetCommand.fetch(prepared, programs, relay: relay)
    }
}
