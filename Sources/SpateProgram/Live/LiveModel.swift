import Spate

/// What there is to show: the downloads that run, are paused or wait for a retry, and how many others there are. Those
/// that wait for a place are no more than a number, so a hundred thousand of them cost nothing.
struct LiveModel {
    enum Phase: Equatable {
        case running, paused
        /// Until the next try.
        case retry(seconds: Int)
    }

    struct Entry: Equatable {
        let number: Int
        let name: ScreenText
        var phase: Phase
        var progress: DownloadProgress
    }

    /// What is asked or told below the lines.
    enum Notice: Equatable {
        case help
        /// Whether to delete this download's files.
        case deletion(Int)
    }

    /// In the order of their numbers.
    private(set) var entries: [Entry] = []
    var done = 0
    var failed = 0
    /// Of what was begun, how many wait for a place.
    var waitingForPlace = 0
    /// How many come after those.
    var notBegun = 0
    /// Whether the list goes on where it was not read yet.
    var listGoesOn = false
    /// How many run at once at most.
    var jobs = 0
    /// The bytes of what has ended, for the size of what is to come.
    var endedBytes: Int64 = 0

    var hasKeys = false
    /// The number of the chosen download.
    var selected: Int?
    var notice: Notice?

    var waiting: Int { waitingForPlace + notBegun }
    var running: Int { count { $0 == .running } }
    var paused: Int { count { $0 == .paused } }
    /// Whether anything runs, or will by itself.
    var goesOn: Bool { paused < entries.count || waitingForPlace > 0 }
    /// Whether nothing goes on until a person says so.
    var isAllPaused: Bool { !entries.isEmpty && paused == entries.count && waitingForPlace == 0 }

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

    /// What is removed leaves the choice to what takes its place.
    private mutating func remove(at index: Int) {
        let number = entries.remove(at: index).number
        if notice == .deletion(number) { notice = nil }
        if selected == number { selected = entries.isEmpty ? nil : entries[min(index, entries.count - 1)].number }
    }

    /// Chooses the download so many lines below the chosen one.
    mutating func select(by step: Int) {
        guard !entries.isEmpty else { return }
        guard let selected else {
            self.selected = (step > 0 ? entries.first : entries.last)?.number
            return
        }
        let index = index(of: selected) + step
        self.selected = entries[max(0, min(index, entries.count - 1))].number
    }

    /// Where it is, or would be.
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
    /// How fast all of them are together.
    var bytesPerSecond: Double { entries.reduce(0) { $0 + ($1.phase == .running ? $1.progress.bytesPerSecond : 0) } }

    /// How long all of it takes at this speed; those that did not begin count as large as the others on average. `nil`
    /// where nobody can tell.
    var timeRemaining: Duration? {
        let speed = bytesPerSecond
        guard speed > 0, !listGoesOn else { return nil }
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
