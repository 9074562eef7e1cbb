import Foundation
import Spate

// snippet
@MainActor final class DownloadList {
    struct Row: Identifiable {
        let id: Download.ID
        let url: URL
        var state: DownloadState
        var progress: DownloadProgress
    }

    private(set) var rows: [Row] = []
    private var reading: Task<Void, Never>?

    init(of manager: DownloadManager) {
        let events = manager.events  // from now on, so before anything is enqueued
        reading = Task { [weak self] in
            for await (download, event) in events { self?.show(event, of: download) }
        }
    }

    deinit { reading?.cancel() }

    private func show(_ event: DownloadEvent, of download: Download) {
        let index = rows.firstIndex { $0.id == download.id } ?? rows.endIndex
        if index == rows.endIndex {
            let (state, progress) = (download.state, download.progress)
            rows.append(Row(id: download.id, url: download.url, state: state, progress: progress))
        }
        switch event {
        case .state(let state): rows[index].state = state
        case .progress(let progress): rows[index].progress = progress
        }
    }
}
// end

extension DownloadList {
    private func row(_ row: Row, _ manager: DownloadManager) {
        // snippet
        if row.state.isPaused { manager.resume(row.url) } else { manager.pause(row.url) }
        // end
    }
}

@MainActor private final class Label {
    var text = ""
}

@MainActor private func closures(_ url: URL, _ folder: URL, _ label: Label) {
    // snippet
    let manager = DownloadManager(
        configuration: DownloadManager.Configuration(directory: folder, callbackQueue: .main)
    )

    manager.download(url) { progress in
        MainActor.assumeIsolated { label.text = "\(progress)" }
    } completion: { result in
        MainActor.assumeIsolated {
            switch result {
            case .success(let file): label.text = file.lastPathComponent
            case .failure(let error): label.text = error.message
            }
        }
    }
    // end
}

// snippet
@MainActor final class DownloadCount: DownloadManagerDelegate {
    private(set) var finished = 0

    nonisolated func download(_ download: Download, didFinishAt file: URL) {
        MainActor.assumeIsolated { finished += 1 }
    }
}
// end
