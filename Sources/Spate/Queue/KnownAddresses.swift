import SpateHTTPSyntax
import SpateHTTPTransport
import SpateHosts
import SpateLocking
import SpateTiming

/// What the process knows of the names and the speed of hosts, and of the addresses of those that were slow or silent.
final class KnownAddresses: Sendable {
    private struct State {
        var hosts: [HTTPOrigin: HostAddresses] = [:]
        /// What waits for a lookup.
        var waiting: [HTTPOrigin: [@Sendable () -> Void]] = [:]

        mutating func change<Result>(_ host: HTTPOrigin, _ body: (inout HostAddresses) -> Result) -> Result {
            if hosts.count >= KnownAddresses.mostHosts, hosts[host] == nil { hosts = [:] }
            return body(&hosts[host.alone, default: HostAddresses()])
        }
    }

    private let transport: any Transport
    private let runtime: Runtime
    private let start: ContinuousClock.Instant
    private let state = Locked(State())
    private let names = Locked(FoundNames())

    /// Beyond this many hosts, all are forgotten.
    private static let mostHosts = 4096

    init(_ transport: any Transport, _ runtime: Runtime) {
        (self.transport, self.runtime) = (transport, runtime)
        start = runtime.now
    }

    private var now: HostAddresses.Time { runtime.now - start }

    /// The address for a new connection; `nil` to leave the choice to libcurl.
    ///
    /// - Parameter others: addresses that this connection should not go to.
    func choice(for host: HTTPOrigin, besides others: [String]) -> String? {
        state.withLock { $0.hosts[host]?.choice(besides: others, now: now) }
    }

    /// Whether the host has an address that is not avoided, among several.
    func hasChoice(_ host: HTTPOrigin) -> Bool {
        state.withLock { $0.hosts[host]?.hasChoice(now: now) ?? false }
    }

    /// What a connection to this host usually gets.
    func usualSpeed(_ host: HTTPOrigin) -> ConnectionSpeed? {
        state.withLock { $0.hosts[host]?.usualSpeed(now: now) }
    }

    func change<Result>(_ host: HTTPOrigin, _ body: (inout HostAddresses, HostAddresses.Time) -> Result) -> Result {
        let now = now
        return state.withLock { $0.change(host) { body(&$0, now) } }
    }

    /// Looks up the addresses of a host, unless they are known. Call this with no lock held.
    ///
    /// - Parameter completion: called once, at the latest when the lookup has taken too long.
    func lookUp(_ url: HTTPURL, _ completion: @escaping @Sendable () -> Void = {}) {
        let host = url.origin.alone
        let now = now
        let lookup = state.withLock { state in
            let lookup = state.change(host) { $0.beginLookup(now: now) }
            if lookup != .isDone { state.waiting[host, default: []].append(completion) }
            return lookup
        }
        if lookup == .isDone { completion() }
        guard lookup == .begins else { return }
        transport.lookUp(url) { [weak self] answer in
            let addresses = if case .addresses(let found) = answer { found } else { [String]() }
            self?.end(host) { $0.found(addresses, hasNoSuchName: answer == .noSuchName, now: $1) }
        }
        runtime.after(HostAddresses.longestLookup) { [weak self] in
            self?.end(host) { $0.isMissing(now: $1) }
        }
    }

    // MARK: Names

    /// A host has answered.
    func noteAnswer(of url: HTTPURL) {
        let name = url.host
        names.withLock { $0.note(name) }
    }

    /// Whether to ask if the name of a host that was not found exists: it has never answered, though others have.
    func isDoubtful(_ url: HTTPURL) -> Bool {
        let name = url.host
        return names.withLock { $0.isNewAmongOthers(name) }
    }

    /// Whether a name server has just said that there is no such name.
    func hasNoSuchName(_ url: HTTPURL) -> Bool {
        state.withLock { $0.hosts[url.origin]?.hasNoSuchName(now: now) ?? false }
    }

    private func end(_ host: HTTPOrigin, _ note: (inout HostAddresses, HostAddresses.Time) -> Void) {
        change(host, note)
        let waiting = state.withLock { $0.waiting.removeValue(forKey: host) ?? [] }
        for completion in waiting { completion() }
    }
}
