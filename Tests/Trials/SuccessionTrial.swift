import CSpateObstacles
import Foundation
import Spate

/// Downloads that are paused and resumed at once, so that an attempt is enqueued while the one before ends. Threads are
/// held up between any two locks.
enum SuccessionTrial {
    /// - Parameter url: a server that answers no request.
    static func pauseAndResume(_ url: URL, seed: UInt64) async {
        spate_obstacles_delay_locks(seed, 60, 100)
        await withTaskGroup { group in
            for number in 0..<4 {
                group.addTask { await pauseAndResume(url.appending(path: "\(number)"), times: 2_000) }
            }
        }
    }

    private static func pauseAndResume(_ url: URL, times: Int) async {
        // Its own, so that nothing else in the queue wakes it up.
        var configuration = DownloadManager.Configuration(directory: Trials.folder)
        configuration.maxConcurrentDownloads = 1
        let manager = DownloadManager(configuration: configuration)
        let download = manager.download(url)
        for turn in 0..<times {
            let giveUp = Task {
                try await Task.sleep(for: .seconds(20))
                Trials.fail("\(download.state) for ever, after \(turn) pauses")
            }
            for await event in download.events { if case .state(.running) = event { break } }
            giveUp.cancel()
            download.pause()
            download.resume()
        }
        download.cancel()
    }
}
