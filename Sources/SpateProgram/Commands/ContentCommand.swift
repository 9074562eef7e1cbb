import Foundation
import Glibc
import Spate
import SpateConsole

/// `spate -o - URL`: fetches a file into a folder of its own, and copies it to standard output when it is complete and
/// checked. So no byte is written that is wrong or has to come again.
enum ContentCommand {
    static func run(_ given: Arguments) throws -> Int32 {
        let programs = RunningPrograms()
        let relay = StopRelay.watching(programs, isLive: GetCommand.isLive(given))
        var prepared = try GetCommand.prepare(given)
        let folder = try PrivateFolder("spate", else: noFolder)
        defer { folder.remove() }
        prepared.arguments.directory = folder.path
        let arguments = prepared.arguments
        GetCommand.sayIfEmpty(prepared)
        let code = try GetCommand.fetch(prepared, programs, relay: relay)
        guard code == 0 else { return code }
        // A reader may take no more, for ever. Nothing is left to be stopped in order.
        relay.passToNothing()
        // An empty list has none.
        let found = try arguments.manager().storedDownloads().first(where: \.isFinished)
        return found.map { ContentCopy.toStandardOutput($0.file.path) } ?? 0
    }

    static func noFolder(in parent: String, _ code: Int32) -> UsageError {
        UsageError(
            .contentFolder,
            "--output - first fetches the file into a folder of \(PlainText.oneLine(parent)), which can't be made: "
                + "\(String(cString: strerror(code))); choose another place with TMPDIR"
        )
    }
}
