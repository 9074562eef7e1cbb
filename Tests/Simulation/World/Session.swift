import Dispatch
import Foundation
import Spate
import SpateFileSystemCalls
import SpateHTTPTransport

/// A manager in a process of a world, and the user who has it.
final class Session {
    let process: SimulatedProcess
    let watcher: Watcher
    let configuration: DownloadManager.Configuration
    let fetches = FetchQueue()
    private(set) var manager: DownloadManager?
    /// The manager, also after it was let go.
    private weak let formerManager: DownloadManager?

    init(_ world: World, process: SimulatedProcess, in surroundings: Surroundings) {
        self.process = process
        // Drained with the queue that starts operations.
        let calls = DispatchQueue(label: "world.calls", target: .main)
        var configuration = world.traits.configuration(in: World.folder, callsOn: calls)
        configuration.cookies = world.cookies
        if world.traits.prepares {
            let preparer = Preparer(of: world, in: process)
            configuration.prepare = { try await preparer.prepare($0, $1) }
        }
        let watcher = Watcher(of: world, in: process)
        configuration.concurrencyChanged = { [weak watcher] in watcher?.note($0) }
        self.configuration = configuration
        self.watcher = watcher
        watcher.limit = configuration.maxConcurrentDownloads
        if case .automatic = configuration.concurrency { watcher.hasOtherLimit = true }
        let manager = DownloadManager(configuration: configuration, in: surroundings)
        manager.delegate = watcher
        watcher.reportedLimit = manager.maxConcurrentDownloads
        formerManager = manager
        self.manager = manager
    }

    /// Lets go of the manager, as at the end of a program's scope.
    func dropManager() {
        manager = nil
    }

    /// Resumes everything, also in a manager that only a loop over its results still has.
    func resumeAll() { (manager ?? formerManager)?.resumeAll() }

    /// Cancels everything, and lets go of the manager.
    func leave() {
        (manager ?? formerManager)?.cancelAll()
        dropManager()
    }

    /// Whether nothing is left to do, as far as the user knows.
    var isIdle: Bool { (manager?.downloads.isEmpty ?? true) && fetches.isEmpty }

    /// Whether somebody else still has the manager.
    var managerLives: Bool { manager == nil && formerManager != nil }

    func close() {
        manager = nil
        watcher.close()
    }
}
