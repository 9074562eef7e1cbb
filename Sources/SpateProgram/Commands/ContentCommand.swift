import Foundation
import Glibc
import Spate
import SpateConsole

/// `spate -o - URL`: fetches a file into a folder of its own, and copies it to standard output when it is complete and
/// checked. So no byte is written that is wrong or has to come again.
enum ContentCommand {
    static func run(_ given: Arguments) throws(UsageError) -> Int32 {
        var prepared = try GetCommand.prepare(given)
        let (folder, programs) = (ContentFolder(), RunningPrograms())
        let relay = StopRelay.watching {
            programs.kill()
            folder.remove()
        }
        // Signals are blocked since the line above, so none ends the process between here and the removal.
        try folder.make()
        defer { folder.remove() }
        prepared.arguments.directory = folder.path
        let arguments = prepared.arguments
        GetCommand.sayIfEmpty(prepared)
        let code = try GetCommand.fetch(prepared, programs, relay: relay)
        guard code == 0 else { return code }
        // A reader may take no more, for ever. Nothing is left to be stopped in order.
        relay.pass { signal in
            folder.remove()
            _exit(signal.exitCode)
        }
        guard let file = file(arguments) else { return 0 }
        switch ContentCopy.toStandardOutput(file.path) {
        case .copied: return 0
        case .closed: return StopReason.outputClosed.exitCode
        case .failed(let notice):
            StandardStream.error.writeNotice(notice)
            return 1
        }
    }

    static func noFolder(in parent: String, _ code: Int32) -> UsageError {
        UsageError(
            .contentFolder,
            "--output - first fetches the file into a folder of \(PlainText.oneLine(parent)), which can't be made: "
                + "\(String(cString: strerror(code))); choose another place with TMPDIR"
        )
    }

    /// The finished file. `nil` if the list was empty.
    private static func file(_ arguments: Arguments) -> URL? {
        (try? arguments.manager().storedDownloads())?.first(where: \.isFinished)?.file
    }
}

/// A new folder that only this user can enter, in that of temporary files.
private final class ContentFolder: Sendable {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("spate-\(UUID().uuidString)").path

    func make() throws(UsageError) {
        guard mkdir(path, 0o700) != 0 else { return }
        throw ContentCommand.noFolder(in: FileManager.default.temporaryDirectory.path, errno)
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}
