import Foundation

/// A batch's running downloads and unread results. Without locks or tasks.
struct BatchQueue {
    typealias Element = (url: URL, result: Result<URL, DownloadError>)

    enum End {
        /// Every URL has its result.
        case complete
        /// The source of the URLs failed.
        case sourceFailed(any Error)
        /// The reader left the loop.
        case abandoned
    }

    private var downloads: [Int: Download] = [:]
    /// The numbers of those that wait for their hosts.
    private var passed: Set<Int> = []
    private var lastNumber = 0
    private var enqueueing = 0
    private var results = FIFO<Element>()
    private var isFed = false
    private var early: End?
    private var isEnding = false

    /// How many URLs were taken from the source and not read as results.
    private var outstanding: Int { enqueueing + downloads.count + results.count }

    /// More downloads than this that wait for their hosts take room as others do, so that memory is bounded.
    static let mostPassed = 10_000

    /// Whether there is room for another download. Those that wait for full hosts take none: others pass them.
    ///
    /// - Parameter window: how many downloads and results there may be.
    func hasRoom(in window: Int) -> Bool { outstanding - min(passed.count, Self.mostPassed) < window }

    var hasResult: Bool { !results.isEmpty }

    /// Set when nothing is left to read.
    var end: End? {
        if let early { return early }
        return isFed && outstanding == 0 ? .complete : nil
    }

    /// The number of the next download; `nil` if the batch is over.
    mutating func beginEnqueueing() -> Int? {
        guard early == nil else { return nil }
        enqueueing += 1
        lastNumber += 1
        return lastNumber
    }

    /// False if the batch was over before the download was made. Then withdraw it, and call `endEnqueueing()`.
    mutating func add(_ download: Download, number: Int) -> Bool {
        guard early == nil else { return false }
        enqueueing -= 1
        downloads[number] = download
        return true
    }

    mutating func endEnqueueing() { enqueueing -= 1 }

    /// Whether downloads are left after an early end, or one is being made that it does not know yet.
    var isWithdrawing: Bool { isEnding || early != nil && enqueueing > 0 }

    /// - Parameter waits: whether the download waits for its host.
    mutating func note(number: Int, waitsForHost waits: Bool) {
        if waits, downloads[number] != nil { passed.insert(number) } else { passed.remove(number) }
    }

    mutating func ended(number: Int, _ element: Element) {
        passed.remove(number)
        guard downloads.removeValue(forKey: number) != nil else { return }
        results.append(element)
    }

    mutating func popFirst() -> Element? {
        early == nil ? results.popFirst() : nil
    }

    mutating func endFeeding() { isFed = true }

    /// Ends it early; `nil` if it was over. Returns the running downloads and unread results: these may contain the
    /// user's errors, which must not be released under a lock. Withdraw the downloads, and call `endWithdrawing()`.
    mutating func end(early reason: End) -> (abandoned: [Download], unread: FIFO<Element>)? {
        guard end == nil else { return nil }
        (early, isEnding) = (reason, true)
        defer { (downloads, passed, results) = ([:], [], FIFO()) }
        return (downloads.sorted { $0.key < $1.key }.map(\.value), results)
    }

    mutating func endWithdrawing() { isEnding = false }
}
