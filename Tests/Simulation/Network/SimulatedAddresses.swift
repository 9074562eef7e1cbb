import SpateHTTPTransport
import SpateTestSupport

/// A connection at a host.
struct SimulatedConnection {
    let number: Int
    let address: String
    /// Whether the process has chosen the address.
    let isChosen: Bool
    /// How many bytes it sends in a round trip, if that limits it. See ``NetworkFault/slowStart``.
    var window = SimulatedLine.firstWindow
}

/// The addresses of a host, some of which are bad at times.
struct SimulatedAddresses {
    let all: [String]
    private let bad: Set<String>
    private let rhythm: Rhythm

    init(_ random: inout SeededRandom) {
        let network = random.number(in: 0...250)
        all = (1...random.pick([1, 2, 2, 3, 8])).map { "10.0.\(network).\($0)" }
        var bad: Set<String> = []
        // The first one is the one that processes go to.
        for (index, address) in all.enumerated() where random.onceIn(index == 0 ? 1 : 3) { bad.insert(address) }
        self.bad = bad
        rhythm = Rhythm(&random)
    }

    func isBad(_ address: String, _ now: Duration) -> Bool { bad.contains(address) && rhythm.isOn(now) }

    /// A lookup's result, and how long it takes: a few take too long, and a few find nothing.
    func lookup(_ random: inout SeededRandom) -> (answer: LookupAnswer, time: Duration) {
        let (isLong, isFailed) = (random.onceIn(8), random.onceIn(10))
        let time = random.time(.microseconds(200), isLong ? .seconds(40) : .milliseconds(200))
        return (isFailed ? .unknown : .addresses(all), time)
    }
}
