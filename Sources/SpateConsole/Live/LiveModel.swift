import Spate

/// The content of the live display: the downloads that run, are paused or wait for a retry, the downloads that wait for
/// a slot, and the number of others. A run enqueues at most ten thousand of a list at a time, so the others cost
/// nothing.
struct LiveModel {
    enum Phase: Equatable {
        case running, paused
        /// Waits for a slot or for its host.
        case queued
        /// Waits for the disk.
        case syncing
        case retry(seconds: Int)
    }

    struct Entry: Equatable {
        let number: Int
        let name: ScreenText
        /// The URL without credentials, to tell two files of one name apart.
        var url = ""
        var phase: Phase
        var progress: DownloadProgress
    }

    /// A question or text below the lines.
    enum Notice: Equatable {
        case help
        /// Asks whether to delete this download's files.
        case deletion(Int)
    }

    /// The downloads with a line, by number.
    private(set) var entries: [Entry] = []
    /// The downloads that wait for a slot, by number. They have lines while one of them is selected.
    private(set) var queued: [Entry] = []
    /// The progress of all downloads of the manager together.
    var whole = DownloadManagerProgress()
    var done = 0
    var failed = 0
    var cancelled = 0
    /// The number of downloads that have been enqueued. Of some there may be no news yet.
    var started = 0
    /// The number of downloads that have not been enqueued.
    var notStarted = 0
    /// Whether the end of the list has not been read.
    var listHasMore = false
    /// The number of slots.
    var jobs = 0 {
        didSet {
            if firstJobs == nil { firstJobs = jobs }
            if jobs != firstJobs { jobsHaveChanged = true }
        }
    }
    /// Whether the number of slots is found automatically.
    var findsJobs = false {
        didSet { if findsJobs { hasFoundJobs = true } }
    }
    /// The number of slots at the start.
    private var firstJobs: Int?
    private var jobsHaveChanged = false
    /// Whether the number was found automatically at any time.
    private var hasFoundJobs = false
    /// Whether the number of slots is news: it differs from the first. A number that was found stays in sight, so that
    /// the line does not flicker.
    var showsJobs: Bool { hasFoundJobs ? jobsHaveChanged : jobs != firstJobs ?? jobs }
    /// The rate limit of all downloads together, in bytes per second; `nil` for none.
    var rateLimit: Int64?
    /// The bytes of ended downloads, to estimate the sizes of the others.
    var endedBytes: Int64 = 0

    /// The number of drawings so far, which moves marks.
    var step = 0
    var hasKeys = false
    /// The number of the selected download.
    var selected: Int?
    var notice: Notice?

    var waiting: Int { queued.count + notStarted }
    var fileCount: Int { max(done + failed + entries.count + waiting, started + notStarted - cancelled) }
    /// Whether there is more than one file, and so a line about all.
    var hasTotal: Bool { fileCount > 1 || listHasMore }
    var running: Int { count { $0 == .running } }
    var paused: Int { count { $0 == .paused } }
    var retrying: Int { count { if case .retry = $0 { true } else { false } } }
    /// Whether anything runs, or will run without a key.
    var isActive: Bool { paused < entries.count || !queued.isEmpty }
    /// Whether nothing happens until a key is pressed.
    var isAllPaused: Bool { !entries.isEmpty && paused == entries.count && queued.isEmpty }

    private func count(where isCounted: (Phase) -> Bool) -> Int {
        entries.reduce(0) { isCounted($1.phase) ? $0 + 1 : $0 }
    }

    /// The download of this number. Set to `nil` when it has ended; if it was selected, the next one becomes selected.
    subscript(number: Int) -> Entry? {
        get { Self.find(number, in: entries).entry ?? Self.find(number, in: queued).entry }
        set {
            let next = newValue == nil && selected == number ? neighbour(of: number) : selected
            // A download that begins to run stays selected.
            Self.set(newValue?.phase == .queued ? nil : newValue, number, in: &entries)
            Self.set(newValue?.phase == .queued ? newValue : nil, number, in: &queued)
            selected = next
            if newValue == nil, notice == .deletion(number) { notice = nil }
        }
    }

    /// Whether the selected download waits for a slot.
    var selectsQueued: Bool { selected.map { Self.find($0, in: queued).entry != nil } ?? false }

    /// The downloads with lines. Downloads that wait for a slot have lines only while one of them is selected.
    var lines: [Entry] { selectsQueued ? entries + queued : entries }

    /// Moves the selection. The downloads that wait for a slot follow the others.
    mutating func select(by step: Int) {
        let all = entries.count + queued.count
        guard all > 0 else { return }
        guard let selected else {
            let last = entries.last ?? queued.last
            self.selected = (step > 0 ? entries.first ?? queued.first : last)?.number
            return
        }
        self.selected = number(at: max(0, min(position(of: selected) + step, all - 1)))
    }

    /// The selection after this one has ended: the next of its kind, or the previous one.
    private func neighbour(of number: Int) -> Int? {
        let kind = Self.find(number, in: entries).entry != nil ? entries : queued
        guard kind.count > 1 else { return nil }
        let index = Self.find(number, in: kind).index
        return kind[index == kind.count - 1 ? index - 1 : index + 1].number
    }

    private func position(of number: Int) -> Int {
        let (index, entry) = Self.find(number, in: entries)
        return entry == nil ? entries.count + Self.find(number, in: queued).index : index
    }

    private func number(at position: Int) -> Int {
        position < entries.count ? entries[position].number : queued[position - entries.count].number
    }

    /// Binary search: the index of the number, or where it would be inserted.
    private static func find(_ number: Int, in entries: [Entry]) -> (index: Int, entry: Entry?) {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return (low, low < entries.count && entries[low].number == number ? entries[low] : nil)
    }

    private static func set(_ entry: Entry?, _ number: Int, in entries: inout [Entry]) {
        let (index, old) = find(number, in: entries)
        switch (entry, old) {
        case (let entry?, .some): entries[index] = entry
        case (let entry?, nil): entries.insert(entry, at: index)
        case (nil, .some): entries.remove(at: index)
        case (nil, nil): break
        }
    }
}
