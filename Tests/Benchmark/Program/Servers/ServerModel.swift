/// How a server behaves that is not just fast.
struct ServerModel: Sendable, Equatable {
    /// What it does when too much is asked of it.
    enum Excess: Sendable, Equatable {
        /// While more connections are open, and for some seconds after, everything comes at a fiftieth of its rate.
        case collapses(seconds: Double)
        /// Answers further requests with 503 and `Retry-After: 1`.
        case refuses
        /// Closes further connections.
        case closes
    }

    /// By how much a server slows down that has collapsed.
    static let collapsedShare = 0.02

    /// Until an answer begins.
    let waitSeconds: Double
    /// How much later it begins for each answer that the server owes already.
    var waitForEachSeconds = 0.0
    /// In bytes per second, of all connections together.
    var sharedRate: Double?
    /// In bytes per second, of each connection.
    var rateEach: Double?
    /// How much is asked without harm: requests that are being answered, or open connections, as the excess says.
    var most = Int.max
    var excess: Excess?

    /// When the answer to a request begins, from now.
    func wait(owing count: Int) -> Double { waitSeconds + Double(count) * waitForEachSeconds }

    /// What each of some connections may get in so many seconds; `nil` for all that it can.
    func bytes(in seconds: Double, among count: Int, hasCollapsed: Bool) -> Double? {
        let rates = [rateEach, sharedRate.map { $0 / Double(max(1, count)) }].compactMap { $0 }
        return rates.min().map { $0 * seconds * (hasCollapsed ? Self.collapsedShare : 1) }
    }

    /// `answers after 30 ms, 4 MB/s for each connection, collapses for 3 s beyond 9 connections`.
    var words: String {
        func milliseconds(_ seconds: Double) -> String { "\(Int((seconds * 1_000).rounded())) ms" }
        func speed(_ rate: Double) -> String { "\(Int(rate / 1e6)) MB/s" }
        var words = ["answers after " + milliseconds(waitSeconds)]
        if waitForEachSeconds > 0 { words[0] += " and \(milliseconds(waitForEachSeconds)) for each that it owes" }
        if let sharedRate { words.append(speed(sharedRate) + " for all connections") }
        if let rateEach { words.append(speed(rateEach) + " for each connection") }
        switch excess {
        case .collapses(let seconds):
            words.append("collapses for \(Int(seconds)) s beyond \(most) connections")
        case .refuses: words.append("503 beyond \(most) requests")
        case .closes: words.append("closes connections beyond \(most)")
        case nil: break
        }
        return words.joined(separator: ", ")
    }
}
