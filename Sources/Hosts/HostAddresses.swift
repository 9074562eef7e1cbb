/// The addresses of a host, and which of them to avoid for a while: one address of a CDN may crawl, or answer nobody, while
/// the others are quick.
///
/// It has no clock. Each call states its time, counted from any moment.
package struct HostAddresses: Sendable {
    package typealias Time = Duration

    /// Another address of the host.
    package enum Sibling: Hashable, Sendable {
        case address(String)
        /// There is none, or it is to be avoided, too.
        case none
        /// The addresses must be looked up first.
        case unknown
    }

    /// What a lookup needs.
    package enum Lookup: Hashable, Sendable {
        case begins, isRunning, isDone
    }

    private enum Knowledge {
        case none
        case requested(Time)
        case found(Time)
    }

    /// How long an address is avoided. So a connection never goes back and forth between two addresses.
    package static let avoidedTime = Duration.seconds(300)
    /// How long a lookup may take.
    package static let longestLookup = Duration.seconds(10)
    /// How long libcurl uses a name's addresses, too.
    private static let freshTime = Duration.seconds(60)
    /// How long one connection may try an address before others do.
    private static let trialTime = Duration.seconds(20)
    private static let mostAvoided = 32

    private var knowledge = Knowledge.none
    private var all: [String] = []
    private var hasNoSuchName = false
    private var avoided: [(address: String, until: Time)] = []
    /// The address that one connection tries. If all are slow, only one connection goes from each to the next.
    private var trial: (address: String, until: Time)?
    /// The address that a trial has proven quick.
    private var proven: String?
    /// Until when no address is chosen: they do not serve the same file.
    private var trustedAfter = Time.zero

    package init() {}

    // MARK: Lookups

    /// Whether to look the addresses up now.
    package mutating func beginLookup(now: Time) -> Lookup {
        switch knowledge {
        case .requested(let time) where now - time < Self.longestLookup: return .isRunning
        case .found(let time) where now - time < Self.freshTime: return .isDone
        case .none, .requested, .found:
            knowledge = .requested(now)
            return .begins
        }
    }

    /// A lookup has found these addresses, best first.
    ///
    /// - Parameter hasNoSuchName: whether a name server says that the name does not exist.
    package mutating func found(_ addresses: [String], hasNoSuchName: Bool = false, now: Time) {
        knowledge = .found(now)
        all = addresses
        self.hasNoSuchName = hasNoSuchName
    }

    /// Whether a lookup has just shown that the name does not exist.
    package func hasNoSuchName(now: Time) -> Bool {
        guard case .found(let time) = knowledge, now - time < Self.freshTime else { return false }
        return hasNoSuchName
    }

    /// A lookup takes too long. The next one may begin after a while.
    package mutating func isMissing(now: Time) {
        if case .requested = knowledge { found(all, now: now) }
    }

    // MARK: Choosing

    /// The address for a new connection; `nil` to leave the choice to libcurl.
    ///
    /// - Parameter others: addresses that this connection should not go to.
    package func choice(besides others: [String], now: Time) -> String? {
        guard now >= trustedAfter, all.count > 1, !others.isEmpty || avoided.contains(where: { now < $0.until }) else {
            return nil
        }
        return best(besides: others, now: now)
    }

    /// Whether the host has several addresses, and not all of them are avoided.
    package func hasChoice(now: Time) -> Bool {
        now >= trustedAfter && all.count > 1 && all.contains { isUsed($0, now: now) }
    }

    private func best(besides others: [String], now: Time) -> String? {
        let good = all.filter { !others.contains($0) && isUsed($0, now: now) }
        return good.first { $0 == proven } ?? good.first
    }

    private func sibling(of address: String?, now: Time) -> Sibling {
        if now < trustedAfter { return .none }
        guard case .found(let time) = knowledge, now - time < Self.freshTime else { return .unknown }
        guard all.count > 1 else { return .none }
        return best(besides: address.map { [$0] } ?? [], now: now).map { .address($0) } ?? .none
    }

    // MARK: Leaving an address

    /// An address refuses or does not answer. Avoids it from now on. Returns where to go instead.
    ///
    /// - Parameter address: `nil` if unknown. libcurl begins with the first.
    package mutating func leave(silent address: String?, now: Time) -> Sibling {
        guard let address = address ?? all.first(where: { isUsed($0, now: now) }) else {
            return sibling(of: nil, now: now)
        }
        let sibling = sibling(of: address, now: now)
        if sibling != .unknown { avoid(address, now: now) }
        return sibling
    }

    /// A connection crawls. Avoids its address if there is another. Returns where to go instead.
    ///
    /// After the first connection has gone to another address, the others follow only once that has proven quick.
    package mutating func leave(slow address: String, now: Time) -> Sibling {
        if let trial, now < trial.until, trial.address != address { return .none }
        let sibling = sibling(of: address, now: now)
        if sibling == .unknown { return .unknown }
        trial = nil
        guard case .address(let other) = sibling else { return .none }
        avoid(address, now: now)
        if other != proven { trial = (other, now + Self.trialTime) }
        return sibling
    }

    /// A connection that crawled elsewhere is quick at this address.
    package mutating func prove(_ address: String) {
        guard trial?.address == address else { return }
        trial = nil
        proven = address
    }

    /// The addresses serve different files. Leaves the choice to libcurl for a while.
    package mutating func distrust(now: Time) {
        trustedAfter = now + Self.avoidedTime
        trial = nil
    }

    package mutating func avoid(_ address: String, now: Time) {
        avoided.removeAll { $0.address == address || now >= $0.until }
        if avoided.count >= Self.mostAvoided { avoided.removeFirst() }
        avoided.append((address, now + Self.avoidedTime))
        if proven == address { proven = nil }
    }

    private func isUsed(_ address: String, now: Time) -> Bool {
        !avoided.contains { $0.address == address && now < $0.until }
    }

    // MARK: Speed

    /// The fastest connection of late, and how many there were at that time.
    private var fastest: (speed: ConnectionSpeed, time: Time)?
    private static let speedTime = Duration.seconds(600)

    /// A connection to the host has this speed.
    package mutating func note(_ speed: ConnectionSpeed, now: Time) {
        if let known = usualSpeed(now: now), known.bytesPerSecond > speed.bytesPerSecond { return }
        fastest = (speed, now)
    }

    package func usualSpeed(now: Time) -> ConnectionSpeed? {
        fastest.flatMap { now - $0.time < Self.speedTime ? $0.speed : nil }
    }
}

/// The speed of a connection, and how many connections shared the line with it.
package struct ConnectionSpeed: Hashable, Sendable {
    package var bytesPerSecond: Double
    package let connections: Int

    package init(bytesPerSecond: Double, connections: Int) {
        (self.bytesPerSecond, self.connections) = (bytesPerSecond, connections)
    }

    /// What a connection can expect while this many share the line. With fewer it may get no more: the server may limit
    /// each one.
    package func share(of connections: Int) -> Double {
        bytesPerSecond * min(1, Double(self.connections) / Double(max(1, connections)))
    }
}
