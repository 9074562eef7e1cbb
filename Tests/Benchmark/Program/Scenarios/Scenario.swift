/// Work that all programs are given alike.
struct Scenario: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        /// All files, from nothing to the end.
        case fetch
        /// The same, onto a disk of this speed.
        case slowDisk(bytesPerSecond: Int)
        /// Killed when half is there, and then the rest.
        case resume
        /// From a server that gives each connection a rate of its own.
        case throttled(ConnectionRate)
        /// The same, killed when half is there, and then the rest.
        case throttledResume(ConnectionRate)
        /// Downloads that are enqueued and cancelled, one run for each count, perhaps with a journal.
        case queue(counts: [Int], isKept: Bool = false)
    }

    /// What files are written to.
    enum Medium: Sendable, Equatable {
        case memory, disk
        /// The disk, and the files must be synced in the end. A program that leaves them to the system's cache is
        /// followed by a sync.
        case durableDisk
    }

    /// What a connection gets, in bytes per second.
    struct ConnectionRate: Sendable, Equatable {
        let bytesPerSecond: Int
        /// That of the server's third connection.
        var third: Int?

        func of(_ connection: Int) -> Int { connection == 3 ? third ?? bytesPerSecond : bytesPerSecond }
    }

    let name: String
    /// A sentence or two for the help, in lines that fit a page.
    let explanation: String
    let kind: Kind
    let medium: Medium
    let isSecured: Bool
    /// The ways in which programs take part; `nil` where each does in its own way.
    let entries: [Entry]?
    let targets: [Target]
    private(set) var fileCount: Int
    private(set) var fileBytes: Int
    let atOnce: Int

    init(
        _ name: String,
        _ explanation: String,
        kind: Kind = .fetch,
        files fileCount: Int,
        of fileBytes: Int,
        atOnce: Int = 3,
        onto medium: Medium = .memory,
        isSecured: Bool = false,
        entries: [Entry]? = nil,
        targets: [Target] = []
    ) {
        self.name = name
        self.explanation = explanation
        self.kind = kind
        self.medium = medium
        self.isSecured = isSecured
        self.entries = entries
        self.targets = targets
        self.fileCount = fileCount
        self.fileBytes = fileBytes
        self.atOnce = atOnce
    }

    var totalBytes: Int { fileCount * fileBytes }

    /// Whether nginx serves the files, and not this program.
    var isServedByNginx: Bool {
        switch kind {
        case .fetch, .slowDisk: true
        case .resume, .throttled, .throttledResume, .queue: false
        }
    }

    /// Whether a partial file is continued.
    var resumes: Bool {
        switch kind {
        case .resume, .throttledResume: true
        case .fetch, .slowDisk, .throttled, .queue: false
        }
    }

    /// The downloads of each run of a queue.
    var queueCounts: [Int] {
        if case .queue(let counts, _) = kind { counts } else { [] }
    }

    /// Whether the queue is kept on disk.
    var keepsQueue: Bool {
        if case .queue(_, let isKept) = kind { isKept } else { false }
    }

    /// The same with less or more work: smaller files, or fewer where they are small already.
    func scaled(by scale: Double) -> Scenario {
        guard scale != 1 else { return self }
        func times(_ number: Int) -> Int { max(1, Int((Double(number) * scale).rounded())) }
        if case .queue(let counts, let isKept) = kind {
            let kind = Kind.queue(counts: counts.map(times), isKept: isKept)
            return Scenario(name, explanation, kind: kind, files: fileCount, of: fileBytes)
        }
        var scenario = self
        if fileBytes < 1 << 20 {
            scenario.fileCount = max(atOnce, times(fileCount))
        } else {
            scenario.fileBytes = times(fileBytes)
        }
        return scenario
    }
}

extension Scenario {
    /// What has nothing in it yet.
    var emptyResult: ScenarioResult {
        ScenarioResult(name: name, work: work, measure: measure, totalBytes: totalBytes, fileCount: fileCount)
    }

    private var measure: ScenarioResult.Measure {
        switch kind {
        case .fetch, .throttled: .wall
        case .slowDisk: .memory
        case .resume, .throttledResume: .fetched
        case .queue: .queue
        }
    }

    /// The work in a few words: `3 files of 512 MiB, 3 at once, onto tmpfs`.
    var work: String {
        if case .queue = kind { return "downloads enqueued and cancelled" + (keepsQueue ? ", with a journal" : "") }
        let files =
            "\(QuantityText.count(fileCount)) \(fileCount == 1 ? "file" : "files") of \(QuantityText.bytes(fileBytes))"
        var words = [files + (isSecured ? " over https" : "")]
        if fileCount > 1 { words.append("\(atOnce) at once") }
        switch kind {
        case .slowDisk(let speed): words.append("onto a disk that takes \(speed / 1_000_000) MB/s")
        case .resume: words.append("killed at half, and then the rest")
        case .throttled(let rate): words += rate.words
        case .throttledResume(let rate): words += rate.words + ["killed at half, and then the rest"]
        default:
            switch medium {
            case .memory: words.append("onto tmpfs")
            case .disk: words.append("onto the disk")
            case .durableDisk: words.append("onto the disk's medium")
            }
        }
        return words.joined(separator: ", ")
    }
}

extension Scenario.ConnectionRate {
    fileprivate var words: [String] {
        func speed(_ bytes: Int) -> String {
            bytes.isMultiple(of: 1 << 20) ? "\(bytes >> 20) MiB/s" : "\(bytes / 1_000) kB/s"
        }
        return ["\(speed(bytesPerSecond)) for each connection"] + (third.map { ["\(speed($0)) for the third"] } ?? [])
    }
}
