import Spate

/// What a person or a program sees of the downloads while they go on.
///
/// One display is in use at a time, and it is called from one place at a time. It is not told of failures alone: those
/// are lines on standard error whatever the display is, which go through ``say(_:)`` so that a display that redraws can
/// make room for them.
protocol Display: AnyObject {
    /// Whether it shows events; one that doesn't is told of none, which costs less.
    var showsEvents: Bool { get }

    /// Whether nobody can see it any more: then there is no point in going on.
    var isClosed: Bool { get }

    /// Something happened to a download. The last event of each is one with a state that is an end.
    func show(_ event: DownloadEvent, of download: ShownDownload)

    /// Writes a line to standard error.
    func say(_ line: String)
}

extension Display {
    var isClosed: Bool { false }
}

/// What displays need to know of a download besides the event.
struct ShownDownload {
    /// Its place among the downloads of this run.
    let number: Int
    let order: DownloadOrder
    let progress: DownloadProgress

    /// The URL without credentials.
    var url: String { order.address.shown }
    /// What a person calls it: the name of its file, as far as that is known.
    var name: String { order.name }
}
