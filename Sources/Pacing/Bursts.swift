/// Whether bytes come in bursts, with silence between them. Under nginx's `limit_rate` a connection gets at once what it
/// may have in a second. A short window shows a burst or nothing, so windows last a whole number of periods, and begin
/// and end in silence.
struct Bursts: Sendable {
    private static let leastSilence = Duration.milliseconds(100)
    /// Less silence will do where connections that began at different times leave no more.
    private static let shortSilence = Duration.milliseconds(50)
    /// Limits count by the second.
    private static let leastPeriod = Duration.seconds(1)
    private static let longestPeriod = Duration.seconds(2)
    /// After so long without silence, they are no bursts any more.
    private static let memory = Duration.seconds(4)

    private var lastLook: Duration
    private var lastBytes: Duration
    private var lastBeginning: Duration?
    /// From one beginning to the next, the last two times.
    private var periods: [Duration] = []

    init(_ now: Duration) { (lastLook, lastBytes) = (now, now) }

    var areKnown: Bool { !periods.isEmpty }

    /// So much has come since the last call. Returns whether it shows, for the first time, that bytes come in bursts.
    ///
    /// - Parameter answer: how long an answer takes. While connections gather speed, it is silent for nearly as long.
    mutating func note(_ bytes: Int, answer: Duration, _ now: Duration) -> Bool {
        let isBeginning = bytes > 0 && lastLook - lastBytes >= max(Self.leastSilence, answer)
        lastLook = now
        if bytes > 0 { lastBytes = now }
        if let last = lastBeginning, now - last > Self.memory { (lastBeginning, periods) = (nil, []) }
        guard isBeginning else { return false }
        let wereKnown = areKnown
        if let last = lastBeginning, now - last <= Self.longestPeriod { periods = periods.suffix(1) + [now - last] }
        lastBeginning = now
        return areKnown && !wereKnown
    }

    /// Whether a window may end now.
    func end(_ window: Arrivals, after length: Duration, _ now: Duration) -> Bool {
        let (age, silence) = (now - window.began, now - lastBytes)
        guard areKnown else {
            return age >= (silence >= Self.leastSilence ? max(length, Self.longestPeriod) : length)
        }
        let period = max(Self.leastPeriod, length, periods.max() ?? .zero)
        return age >= (silence >= Self.shortSilence ? period * 0.97 : period * 1.25)
    }
}
