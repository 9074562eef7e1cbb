import SpateTestSupport

/// How a host's line, and the host behind it, bear many connections. See ``NetworkFault/ofLines``.
///
/// All processes are on one machine, so a server takes their connections for those of one client. A connection that is
/// kept for a later request counts nowhere.
struct SimulatedLine {
    /// What else holds while a host's rates are asked for.
    struct Load {
        /// How many connections the host serves.
        var held: Int
        /// How many of them receive a body now.
        var receiving: Int
        /// How many connections of all hosts receive over the line of the machine, and what it carries.
        var common: (receiving: Int, rate: Int)
    }

    /// Bytes per second, of all connections together, and of each.
    private let total: Int
    private let each: Int
    /// With more connections, each gets this part of its rate, until so long after the number has fallen.
    private let bears: Int
    private let punishment: (part: Int, time: Duration)
    /// How much later an answer comes for each other request under way.
    private let delayForEach: Duration
    /// The way there and back.
    let roundTrip: Duration
    /// From a time on, for some time or for good, each connection gets this part of its rate.
    private let fall: (begin: Duration, end: Duration, part: Int)
    private var punishedUntil = Duration.zero

    /// Initial congestion window, see RFC 6928.
    static let firstWindow = 14_480

    init(_ random: inout SeededRandom) {
        total = random.pick([60_000, 200_000, 600_000, 2_000_000, 6_000_000])
        each = random.pick([20_000, 60_000, 200_000, 600_000, 2_000_000])
        bears = random.number(in: 1...12)
        punishment = (random.pick([10, 20, 50]), random.time(.milliseconds(100), .seconds(4)))
        delayForEach = random.time(.milliseconds(2), .milliseconds(150))
        roundTrip = .milliseconds(random.number(in: 20...200))
        let begin = random.time(.milliseconds(500), .seconds(30))
        let length = random.time(.seconds(1), .seconds(30))
        fall = (begin, random.onceIn(2) ? begin + length : .seconds(1 << 40), random.pick([4, 10, 30]))
    }

    /// How much later an answer comes while the host serves this many connections.
    func delay(of held: Int) -> Duration { delayForEach * max(0, held - 1) }

    /// The number of its connections changes.
    ///
    /// - Parameter former: how many there were.
    mutating func changes(from former: Int, _ now: Duration) {
        if former > bears { punishedUntil = now + punishment.time }
    }

    /// Nothing is held against its clients any more.
    mutating func forgive() { punishedUntil = .zero }

    /// Lowers the rate of one connection to what it gets now.
    func lower(_ speed: inout LineSpeed, _ faults: [NetworkFault], _ load: Load, _ now: Duration) {
        for fault in faults {
            switch fault {
            case .sharedBandwidth: speed.lower(to: total / max(1, load.receiving), if: load.receiving > 1, fault)
            case .commonLine:
                let (receiving, rate) = load.common
                speed.lower(to: rate / max(1, receiving), if: receiving > 1, fault)
            case .slowConnections: speed.lower(to: each, fault)
            default: break
            }
        }
        if faults.contains(.collapse) {
            let isPunished = now < punishedUntil
            if isPunished { speed.holds(until: punishedUntil) }
            if load.held > bears || isPunished { speed.lower(to: speed.rate / punishment.part, .collapse) }
        }
        if faults.contains(.fallingRate) {
            speed.holds(until: now < fall.begin ? fall.begin : now < fall.end ? fall.end : nil)
            if now >= fall.begin, now < fall.end { speed.lower(to: speed.rate / fall.part, .fallingRate) }
        }
    }
}

/// The rate of one connection, until something changes it.
struct LineSpeed {
    /// Bytes per second.
    private(set) var rate: Int
    /// When it changes by itself; `nil` if never.
    private(set) var until: Duration?
    /// What has lowered it.
    private(set) var causes: [NetworkFault] = []

    init(_ rate: Int) { self.rate = rate }

    /// - Parameter isCause: whether the fault has lowered it, rather than the line's own rate.
    mutating func lower(to most: Int, if isCause: Bool = true, _ cause: NetworkFault) {
        guard most < rate else { return }
        rate = most
        if isCause { causes.append(cause) }
    }

    mutating func lower(to most: Int) { rate = min(rate, most) }

    mutating func raise(to least: Int) { rate = max(rate, least) }

    mutating func holds(until time: Duration?) {
        guard let time else { return }
        until = min(until ?? time, time)
    }
}
