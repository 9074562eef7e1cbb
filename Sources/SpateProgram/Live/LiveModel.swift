import Spate

/// The content of the live display: the downloads that run, are paused or wait for a retry, and how many others there
/// are. Downloads that wait for a slot are only counted, so a hundred thousand of them cost nothing.
struct LiveModel {
    enum Phase: Equatable {
        case running, paused
        case retry(seconds: Int)
    }

    struct Entry: Equatable {
        let number: Int
        let name: ScreenText
        var phase: Phase
        var progress: DownloadProgress
    }

    /// A question or text below the lines.
    enum Notice: Equatable {
        case help
        /// Asks whether to delete this download's files.
        case deletion(Int)
    }

    /// In the order of their numbers.
    private(set) var entries: [Entry] = []
    var done = 0
    var failed = 0
    /// How many downloads wait for a slot or for their host.
    var waitingForSlot = 0
    /// How many have not been started.
    var notStarted = 0
    /// Whether the list was not read to its end.
    var listHasMore = false
    /// How many may run at once.
    var jobs = 0
    /// How many bytes per second all may receive together; `nil` for no limit.
    var rateLimit: Int64?
    /// The bytes of ended downloads, to estimate the size of those to come.
    var endedBytes: Int64 = 0

    var hasKeys = false
    /// The number of the selected download.
    var selected: Int?
    var notice: Notice?

    var waiting: Int { waitingForSlot + notStarted }
    var running: Int { count { $0 == .running } }
    var paused: Int { count { $0 == .paused } }
    /// Whether anything runs, or will without a key.
    var isActive: Bool { paused < entries.count || waitingForSlot > 0 }
    /// Whether nothing happens until a key is pressed.
    var isAllPaused: Bool { !entries.isEmpty && paused == entries.count && waitingForSlot == 0 }

    private func count(where isCounted: (Phase) -> Bool) -> Int {
        entries.reduce(0) { isCounted($1.phase) ? $0 + 1 : $0 }
    }

    subscript(number: Int) -> Entry? {
        get {
            let index = index(of: number)
            return index < entries.count && entries[index].number == number ? entries[index] : nil
        }
        set {
            let index = index(of: number)
            let isThere = index < entries.count && entries[index].number == number
            switch (newValue, isThere) {
            case (let entry?, true): entries[index] = entry
            case (let entry?, false): entries.insert(entry, at: index)
            case (nil, true): remove(at: index)
            case (nil, false): break
            }
        }
    }

    /// If the removed entry was selected, the next one becomes selected.
    private mutating func remove(at index: Int) {
        let number = entries.remove(at: index).number
        if notice == .deletion(number) { notice = nil }
        if selected == number { selected = entries.isEmpty ? nil : entries[min(index, entries.count - 1)].number }
    }

    /// Moves the selection down by `step` lines.
    mutating func select(by step: Int) {
        guard !entries.isEmpty else { return }
        guard let selected else {
            self.selected = (step > 0 ? entries.first : entries.last)?.number
            return
        }
        let index = index(of: selected) + step
        self.selected = entries[max(0, min(index, entries.count - 1))].number
    }

    /// Binary search: the index of the number, or where it would be inserted.
    private func index(of number: Int) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension LiveModel {
    /// The speed of all downloads together.
    var bytesPerSecond: Double { entries.reduce(0) { $0 + ($1.phase == .running ? $1.progress.bytesPerSecond : 0) } }

    /// How long everything takes at this speed. Waiting downloads count with the average size of the others. `nil`
    /// if it can't be estimated.
    var timeRemaining: Duration? {
        let speed = bytesPerSecond
        guard speed > 0, !listHasMore else { return nil }
        var rest = 0.0
        var known = Double(endedBytes)
        for entry in entries where entry.phase != .paused {
            guard let total = entry.progress.totalBytes else { return nil }
            rest += Double(total) - Double(entry.progress.receivedBytes)
            known += Double(total)
        }
        if waiting > 0 { rest += known / Double(max(1, done + entries.count)) * Double(waiting) }
        return .seconds(min(max(0, rest) / speed, 3_155_760_000))
    }
}
