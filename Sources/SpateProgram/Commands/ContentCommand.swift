import Foundation
import Glibc
import Spate
import SpateConsole

/// `spate -o - URL`: fetches a file into a folder of its own, and copies it to standard output when it is complete and
/// checked. So no byte is written that is wrong or has to come again.
enum ContentCommand {
    static func run(_ given: Arguments) throws(UsageError) -> Int32 {
        let programs = RunningPrograms()
        let relay = StopRelay.watching(programs, isLive: GetCommand.isLive(given))
        var prepared = try GetCommand.prepare(given)
        let folder = try folder()
        defer { folder.remove() }
        prepared.arguments.directory = folder.path
        let arguments = prepared.arguments
        GetCommand.sayIfEmpty(prepared)
        let code = try GetCommand.fetch(prepared, programs, relay: relay)
        guard code == 0 else { return code }
        // A reader may take no more, for ever. Nothing is left to be stopped in order.
        relay.passToNothing()
        let file: URL
        do {
            // An empty list has none.
            guard let found = try arguments.manager().storedDownloads().first(where: \.isFinished) else { return 0 }
            file = found.file
        } catch {
            StandardStream.error.writeNotice(.failure(error.localizedDescription))
            return 1
        }
        switch ContentCopy.toStandardOutput(file.path) {
        case .copied: return 0
        case .closed: return StopReason.outputClosed.exitCode
        case .failed(let notice):
            StandardStream.error.writeNotice(notice)
            return 1
        }
    }

    private static func folder() throws(UsageError) -> PrivateFolder {
        do throws(PrivateFolder.Failure) {
            return try PrivateFolder("spate")
        } catch {
            throw noFolder(in: error.parent, error.code)
        }
    }

    static func noFolder(in parent: String, _ code: Int32) -> UsageError {
        UsageError(
            .contentFolder,
            "--output - first fetches the file into a folder of \(PlainText.oneLine(parent)), which can't be made: "
                + "\(String(cString: strerror(code))); choose another place with TMPDIR"
        )
    }
}
