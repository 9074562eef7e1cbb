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

    /// So many downloads come after those that were shown; a list that goes on may hold more.
    func expect(_ count: Int, listGoesOn: Bool)

    /// What is live of it, where something is.
    var live: (any LiveView)? { get }
}

extension Display {
    var isClosed: Bool { false }
    var live: (any LiveView)? { nil }
    func expect(_ count: Int, listGoesOn: Bool) {}
}

/// A display that has the terminal to itself while the downloads go on.
protocol LiveView: AnyObject {
    /// How many downloads run at once now.
    var jobs: Int { get set }

    /// Draws what has changed. Called ten times a second, from the beginning on.
    func tick()

    func handle(_ event: TerminalEvent)

    /// Whether keys are to be read now.
    var wantsInput: Bool { get }

    /// What the keys ask for that were pressed since.
    func readCommands() -> [RunCommand]

    /// Gives the terminal back; lines that are said from then on are written at once.
    func end()
}

/// What displays need to know of a download besides the event.
struct ShownDownload {
    /// Its place among the downloads of this run.
    let number: Int
    let order: DownloadOrder
    let progress: DownloadProgress
    /// To ask how far it is between two events.
    var download: Download?

    /// The URL without credentials.
    var url: String { order.address.shown }
    /// What a person calls it: the name of its file, as far as that is known.
    var name: String { order.name }
}
