/// Work that all programs are given alike.
struct Scenario: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        /// All files, from nothing to the end.
        case fetch
        /// The same, onto a disk of this speed.
        case slowDisk(bytesPerSecond: Int)
        /// From a server that gives each connection a rate of its own.
        case throttled(ConnectionRate)
        /// The same, killed when half of the time has passed, and then the rest.
        case resume(ConnectionRate)
        /// Downloads that are enqueued and cancelled, one run for each count, perhaps with a journal.
        case queue(counts: [Int], isKept: Bool = false)
        /// All files over a line, by programs as their users call them.
        case line(Line)
        /// All files from a server of a model, by programs as their users call them.
        case server(ServerModel)
    }

    /// Files of one size.
    struct FileGroup: Sendable, Equatable {
        var count: Int
        var bytes: Int
    }

    /// What files are written to.
    enum Medium: Sendable, Equatable {
        case memory, disk
        /// The disk, and the files must be synced in the end. A program that leaves them to the system's cache is
        /// followed by a sync.
        case durableDisk
    }

    /// How the server is spoken to. It offers HTTP/2 only where that is measured.
    enum WebProtocol: Sendable, Equatable {
        case http, https
        /// HTTP/2 over TLS.
        case http2
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
    private(set) var kind = Kind.fetch
    private(set) var fileCount = 0
    private(set) var fileBytes = 0
    /// Files of other sizes that follow.
    private(set) var otherFiles: [FileGroup] = []
    /// The server's addresses, among which the files are dealt out.
    private(set) var hosts = 1
    var atOnce = 3
    var medium = Medium.memory
    var webProtocol = WebProtocol.http
    /// The ways in which programs take part; `nil` where each does in its own way.
    var entries: [Entry]?
    var targets: [Target] = []
    /// After how many seconds a program is stopped; ours has more time.
    var limitSeconds: Int?

    var isSecured: Bool { webProtocol != .http }

    private var files: [FileGroup] { [FileGroup(count: fileCount, bytes: fileBytes)] + otherFiles }

    /// Of each file.
    var fileSizes: [Int] { files.flatMap { Array(repeating: $0.bytes, count: $0.count) } }

    var totalCount: Int { files.reduce(0) { $0 + $1.count } }

    var totalBytes: Int { files.reduce(0) { $0 + $1.count * $1.bytes } }

    /// What the server gives each connection; `nil` for all that it can.
    var rate: ConnectionRate? {
        switch kind {
        case .throttled(let rate), .resume(let rate): rate
        case .fetch, .slowDisk, .queue, .line, .server: nil
        }
    }

    /// Whether a partial file is continued.
    var resumes: Bool {
        if case .resume = kind { true } else { false }
    }

    /// The downloads of each run of a queue.
    var queueCounts: [Int] {
        if case .queue(let counts, _) = kind { counts } else { [] }
    }

    /// Whether the queue is kept on disk.
    var keepsQueue: Bool {
        if case .queue(_, let isKept) = kind { isKept } else { false }
    }

    /// The same with less or more work: smaller files, fewer where they are small already, and both where many are large.
    func scaled(by scale: Double) -> Scenario {
        guard scale != 1 else { return self }
        func times(_ number: Int, _ scale: Double) -> Int { max(1, Int((Double(number) * scale).rounded())) }
        var scenario = self
        if case .queue(let counts, let isKept) = kind {
            scenario.kind = .queue(counts: counts.map { times($0, scale) }, isKept: isKept)
        } else if fileBytes < 1 << 20 {
            scenario.fileCount = max(atOnce, times(fileCount, scale))
        } else if fileCount < 16 {
            scenario.fileBytes = times(fileBytes, scale)
        } else {
            // Many files of a few bytes would still take the time of their answers.
            scenario.fileCount = max(atOnce, times(fileCount, scale.squareRoot()))
            scenario.fileBytes = times(fileBytes, scale.squareRoot())
        }
        for (index, group) in otherFiles.enumerated() {
            if group.bytes < 1 << 20 {
                scenario.otherFiles[index].count = times(group.count, scale)
            } else {
                scenario.otherFiles[index].bytes = times(group.bytes, scale)
            }
        }
        return scenario
    }
}

extension Scenario {
    /// What has nothing in it yet.
    var emptyResult: ScenarioResult {
        ScenarioResult(name: name, work: work, measure: measure, totalBytes: totalBytes, fileCount: totalCount)
    }

    private var measure: ScenarioResult.Measure {
        switch kind {
        case .fetch, .throttled, .line: .wall
        case .server: .server
        case .slowDisk: .memory
        case .resume: .fetched
        case .queue: .queue
        }
    }

    /// The work in a few words: `3 files of 512 MiB, 3 at once, onto tmpfs`.
    var work: String {
        if case .queue = kind { return "downloads enqueued and cancelled" + (keepsQueue ? ", with a journal" : "") }
        var words = [filesInWords + webProtocol.words]
        switch kind {
        case .line(let line):
            if hosts > 1 { words[0] += " on \(hosts) hosts" }
            return (words + [line.words]).joined(separator: ", ")
        case .server(let model): return (words + [model.words]).joined(separator: ", ")
        default: break
        }
        if fileCount > 1 { words.append("\(atOnce) at once") }
        switch kind {
        case .slowDisk(let speed): words.append("onto a disk that takes \(speed / 1_000_000) MB/s")
        case .throttled(let rate): words += rate.words
        case .resume(let rate): words += rate.words + ["killed at half, and then the rest"]
        default:
            switch medium {
            case .memory: words.append("onto tmpfs")
            case .disk: words.append("onto the disk, only spate syncs")
            case .durableDisk: words.append("onto the disk, all synced")
            }
        }
        return words.joined(separator: ", ")
    }

    /// `3 files of 512 MiB`, `197 files of 4 KiB to 24 MiB`.
    private var filesInWords: String {
        let sizes = fileSizes
        let (least, most) = (sizes.min() ?? 0, sizes.max() ?? 0)
        let span = QuantityText.bytes(least) + (least < most ? " to \(QuantityText.bytes(most))" : "")
        return "\(QuantityText.count(sizes.count)) \(sizes.count == 1 ? "file" : "files") of \(span)"
    }
}

extension Scenario.WebProtocol {
    fileprivate var words: String {
        switch self {
        case .http: ""
        case .https: " over https"
        case .http2: " over HTTP/2"
        }
    }
}

extension Scenario.ConnectionRate {
    fileprivate var words: [String] {
        func speed(_ bytes: Int) -> String {
            if bytes.isMultiple(of: 1 << 20) { return "\(bytes >> 20) MiB/s" }
            return bytes.isMultiple(of: 1_000_000) ? "\(bytes / 1_000_000) MB/s" : "\(bytes / 1_000) kB/s"
        }
        return ["\(speed(bytesPerSecond)) for each connection"] + (third.map { ["\(speed($0)) for the third"] } ?? [])
    }
}
