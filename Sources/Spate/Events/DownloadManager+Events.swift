import Locking

extension DownloadManager {
    /// What happens to all downloads of this manager from now on, beginning with the present state of each that waits,
    /// runs or is paused.
    ///
    ///     for await (download, event) in manager.events {
    ///         switch event {
    ///         case .state(let state): print(download.url, state)
    ///         case .progress(let progress): print(download.url, progress)
    ///         }
    ///     }
    ///
    /// Each access gives a stream of its own, for one reader. A download that is enqueued later begins with its state,
    /// its end is the last of it, and between them its events come in their order. A reader who is slow misses progress,
    /// never a state: what waits for it is bounded by the states it has not read.
    ///
    /// The stream does not keep the manager; it ends when the manager goes, or its reading task is cancelled.
    public var events: AsyncStream<(download: Download, event: DownloadEvent)> {
        let listener = EventListener()
        let mailbox = listener.mailbox
        // Told of everything from here on, and then introduced to what was there before, under each one's lock.
        audience.add(listener)
        for download in downloads {
            download.core.withLock { core in
                guard !core.machine.state.isTerminal else { return }
                mailbox.prepare { $0.introduce(download, in: core.machine.state) }
            }
        }
        mailbox.prepare { $0.endIntroductions() }
        return AsyncStream {
            await listener.mailbox.next()
        } onCancel: {
            mailbox.abandon()
        }
    }
}

/// Puts what happens into a reader's mailbox. The stream alone holds it: it goes with its reader.
final class EventListener: DownloadListener {
    let mailbox = Mailbox<ManagerEventQueue>()

    func hear(_ event: DownloadEvent, of download: Download) {
        mailbox.put((download, event))
    }

    func close() {
        mailbox.close()
    }
}
