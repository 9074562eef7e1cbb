import Foundation
import Spate

// Downloads that are paused and resumed from elsewhere: by a menu that reads standard input, and by signals. These know
// the manager and the URLs, and nothing of who enqueued them. What an earlier run left unfinished goes on.
//
//     swift run PauseAndResume folder URL...
//
// Type `list`, `pause 1`, `resume 1`, `cancel 1`, `delete 1`, `pause`, `resume` or `quit` while it runs. From another
// terminal `kill -USR1` pauses all and `kill -USR2` lets all go on, as what watches the battery would.

guard CommandLine.arguments.count > 1 else {
    print("usage: PauseAndResume FOLDER URL...")
    exit(2)
}
var configuration = DownloadManager.Configuration()
configuration.directory = URL(fileURLWithPath: CommandLine.arguments[1], isDirectory: true)
let manager = DownloadManager(configuration: configuration)
// Asked for before anything is enqueued, this tells of all that happens.
let events = manager.events

// What is restored and asked for as well is one download: the second call joins the first.
var downloads: [Download] = []
for download in manager.restore() + manager.download(CommandLine.arguments.dropFirst(2).compactMap { URL(string: $0) })
where !downloads.contains(where: { $0 === download }) {
    downloads.append(download)
}

guard !downloads.isEmpty else {
    print("Nothing was left unfinished, and no URL was given.")
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
    menu.tell(download, state)
    if state.isTerminal { left -= 1 }
    if left == 0 { break }
}
menu.waitForLastCommand()
withExtendedLifetime(signals) {}
