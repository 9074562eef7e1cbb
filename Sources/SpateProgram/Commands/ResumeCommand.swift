import Foundation
import Spate
import SpateConsole

/// `spate resume`: finishes every partial file of a folder, fetches its queue, and tries again what failed.
enum ResumeCommand {
    static func run(_ given: Arguments) throws -> Int32 {
        try given.checkFolderExists()
        try given.checkCertificates()
        if let log = given.log { try LineFile.Option.log.check(log) }
        try FailedFile.check(given)
        let arguments = try given.readingHeaderFiles()
        let files = try OptionFiles(arguments)
        let manager = arguments.manager()
        let isAnything =
            try manager.storedDownloads().contains(where: \.isPartial) || !manager.storedQueue().isEmpty
            || !manager.storedFailures().isEmpty
        if !isAnything, !arguments.isQuiet {
            StandardStream.error.writeNotice(.nothingToFinish(in: arguments.folder.path))
        }
        return try GetCommand.fetch(GetCommand.Prepared(arguments: arguments, items: [], files: files, restores: true))
    }
}
