import Foundation
import HTTPResumption
import Locking
import PartialFiles

/// How a request becomes a known download: checked, joined to the one that is under way, answered from the disk, or
/// put into the queue.
struct Enqueueing {
    let manager: DownloadManager

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
                if let known = registry.known(checked.url) { return (known, false) }
                let serial = registry.nextSerial()
                // With its callers from the start: from here on anybody may end it.
                let download = make(request, checked, serial: serial, progress, completion)
                registry.insert(download, key: checked.url)
                registry.names.claim(for: checked.url, in: checked.directory, naming: checked.naming)
                return (download, true)
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
        guard !request.replacesExisting, let file = manager.settledFile(of: request) else {
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
