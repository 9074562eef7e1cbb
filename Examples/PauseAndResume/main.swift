import Foundation
import Spate

// Pauses and resumes downloads from a menu on standard input, and with signals. Both know only the manager and the URLs,
// not the code that enqueued them. Partial files of an earlier run are continued.
//
//     swift run SpatePauseAndResume folder URL...
//
// Type `list`, `pause 1`, `resume 1`, `cancel 1`, `delete 1`, `pause`, `resume` or `quit` during the run. From another
// terminal, `kill -USR1` pauses all and `kill -USR2` resumes all.

guard CommandLine.arguments.count > 1 else {
    print("usage: SpatePauseAndResume FOLDER URL...")
    exit(2)
}
let manager = DownloadManager(directory: URL(fileURLWithPath: CommandLine.arguments[1], isDirectory: true))
// Observe before anything is enqueued, to get every event.
let events = manager.events

// A URL that is restored and also given is one download: the second call joins the first.
var downloads: [Download] = []
for download in manager.restore() + manager.download(CommandLine.arguments.dropFirst(2).compactMap { URL(string: $0) })
where !downloads.contains(where: { $0 === download }) {
    downloads.append(download)
}

guard !downloads.isEmpty else {
    print("There are no partial files, and no URL was given.")
    exit(0)
}

let menu = Menu(manager: manager, urls: downloads.map(\.url))
Thread { menu.run() }.start()
let signals = [
    SignalCall(SIGUSR1) { [manager] in manager.pauseAll() },
    SignalCall(SIGUSR2) { [manager] in manager.resumeAll() },
]

var left = downloads.count
for await (download, event) in events {
    guard case .state(let state) = event else { continue }
    menu.report(download, state)
    if state.isTerminal { left -= 1 }
    if left == 0 { break }
}
menu.waitForLastCommand()
withExtendedLifetime(signals) {}
