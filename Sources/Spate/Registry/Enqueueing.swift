import Foundation
import HTTPResumption
import Locking
import PartialFiles

/// How a request becomes a known download: checked, joined to the one that is under way, answered from the disk, or
/// put into the queue.
struct Enqueueing {
    private let manager: DownloadManager
    /// What was in the manager's folder when many were about to be enqueued.
    private let glance: FolderListing?

    /// So many are worth a look at the whole folder.
    private static let many = 32

    /// - Parameter count: about how many will be enqueued by this.
    init(manager: DownloadManager, expecting count: Int = 1) {
        self.manager = manager
        glance =
            count < Self.many
            ? nil
            : (try? manager.checkedConfiguration.directory.get()).flatMap {
                manager.directories.directory($0).listing(atMost: 4 * count)
            }
    }

    func enqueue(
        _ request: DownloadRequest,
        progress: DownloadCore.Progress?,
        completion: DownloadCore.Completion?
    ) -> Download {
        let checked: CheckedRequest
        do throws(DownloadError) {
            checked = try CheckedRequest(request, in: manager.checkedConfiguration)
        } catch {
            let serial = manager.registry.withLock { $0.nextSerial() }
            let download = make(request, nil, serial: serial, progress, completion)
            download.handle(.settle(.failed(error)))
            return download
        }
        while true {
            let (download, isNew) = manager.registry.withLock { registry in
                // With its callers from the start: from here on anybody may end it.
                registry.enter(checked) { make(request, checked, serial: $0, progress, completion) }
            }
            if isNew {
                begin(download, checked)
                return download
            }
            if download.join(progress: progress, completion: completion) { return download }
            // It has ended between the two steps; the next turn makes another.
            manager.forget(download)
        }
    }

    private func make(
        _ request: DownloadRequest,
        _ checked: CheckedRequest?,
        serial: UInt64,
        _ progress: DownloadCore.Progress?,
        _ completion: DownloadCore.Completion?
    ) -> Download {
        var core = DownloadCore(
            machine: manager.checkedConfiguration.machine,
            audience: manager.audience
        )
        core.add(progress: progress, completion: completion)
        return Download(request: request, checked: checked, serial: serial, core: core, manager: manager)
    }

    private func begin(_ download: Download, _ request: CheckedRequest) {
        guard !request.replacesExisting, let file = settledFile(of: request) else {
            return download.perform { core in
                if case .waiting = core.machine.state { core.tellState(of: download) }
                return core.machine.handle(.begin)
            }
        }
        download.perform { core in
            core.meter.complete(at: file.size, now: .now)
            return core.machine.handle(.settle(.finished(file.file)))
        }
    }

    private func settledFile(of request: CheckedRequest) -> AttemptResult? {
        if let glance, glance.lacksFile(of: request.url, naming: request.naming) { return nil }
        return manager.settledFile(of: request)
    }
}

extension Download {
    /// Adds another caller; false when the download has ended already.
    func join(progress: DownloadCore.Progress?, completion: DownloadCore.Completion?) -> Bool {
        let joins = core.withLock { core in
            guard core.result == nil else { return false }
            core.add(progress: progress, completion: completion)
            core.askers += 1
            return true
        }
        // Whoever asks for a file wants it to come, though somebody paused it before.
        if joins, case .paused = state { resume() }
        return joins
    }
}
