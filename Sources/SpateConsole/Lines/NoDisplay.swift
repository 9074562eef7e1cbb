import Spate

/// Shows no progress. Writes only the lines from ``say(_:as:)``.
final class NoDisplay: Display {
    let showsEvents = false
    private let write: (String) -> Void

    init(write: @escaping (String) -> Void) {
        self.write = write
    }

    func show(_ event: DownloadEvent, of download: ShownDownload) {}

    func say(_ line: String, as tone: Tone) {
        write(line)
    }
}
