import SpateHTTPSyntax
import SpateHTTPTransport
import SpateHosts
import SpateLocking
import SpatePartialFiles
import SpateSplitting
import SpateTiming

/// The wait for a lookup. It ends once: with the lookup, or by a cancellation, which does not wait for the lookup.
final class AddressSearch: Sendable {
    private let completion: Locked<(@Sendable () -> Void)?>

    init(_ completion: @escaping @Sendable () -> Void) {
        self.completion = Locked(completion)
    }

    func end() {
        completion.withLock { $0.take() }?()
    }
}

/// The addresses and names of the hosts that an attempt connects to.
extension Attempt {
    private var addresses: KnownAddresses { manager.surroundings.addresses }

    /// Chooses the address of a request; `nil` to leave it to libcurl, as nearly always.
    func choose(for target: Connection.Target, of id: Int) -> String? {
        guard target.mayBeChosen, let address = addresses.choice(for: target.url.origin, besides: target.avoided),
            !isBehindProxy(target.url.origin), manager.validConfiguration.transport.allows(address)
        else { return nil }
        control.withLock { $0.machine.choose(address, of: id) }
        return address
    }

    /// Whether a proxy connects to a host. Another manager, with another proxy, may know its addresses.
    func isBehindProxy(_ host: HTTPOrigin) -> Bool {
        guard let url = try? HTTPURL(host.text) else { return false }
        return manager.surroundings.transport.usesProxy(for: url, manager.validConfiguration.transport.proxy)
    }

    /// Looks up the addresses of a host, unless a proxy connects to it.
    func lookUp(_ url: HTTPURL, _ completion: @escaping @Sendable () -> Void = {}) {
        isBehindProxy(url.origin) ? completion() : addresses.lookUp(url, completion)
    }

    /// Looks at the speed of the only connection. Four times a second at most.
    func measure(_ file: PartialFile) {
        let host = control.withLock { $0.machine.first.route.address.origin }
        let (connections, usual) = (manager.feed.connectionCount, addresses.usualSpeed(host))
        let (isLimited, moment) = (isLimited, moment(of: file))
        let judgement = control.withLock {
            $0.machine.judgePace(connections: connections, host: usual, isLimited: isLimited, moment)
        }
        guard let (verdict, pace, url, address) = judgement else { return }
        switch verdict {
        case .steady:
            addresses.change(host) {
                $0.note(ConnectionSpeed(bytesPerSecond: pace.rate, connections: connections), now: $1)
                if pace.isImproved { $0.prove(address) }
            }
        case .slow: lookUp(url)
        case .crawls where isBehindProxy(host): break
        case .crawls:
            let sibling = addresses.change(host) { $0.leave(slow: address, now: $1) }
            switch sibling {
            case .address: control.withLock { $0.machine.leaveCrawling() }
            case .unknown: lookUp(url)
            case .none: break
            }
        }
    }

    /// An address crawls beside others that do not, or has failed. Later connections go elsewhere.
    func avoid(_ failed: FailedAddress) {
        if isBehindProxy(failed.url.origin) { return }
        let addresses = addresses
        let leave = { @Sendable in addresses.change(failed.url.origin) { $0.leave(silent: failed.address, now: $1) } }
        if leave() == .unknown { lookUp(failed.url) { _ = leave() } }
    }

    /// The only connection has failed because of its address. The next request goes to another one; without that the
    /// attempt ends.
    func leave(_ file: PartialFile, because failure: FetchFailure) {
        guard let failed = failure.failedAddress, !isBehindProxy(failed.url.origin) else {
            return end(file, .failed(failure))
        }
        switch addresses.change(failed.url.origin, { $0.leave(silent: failed.address, now: $1) }) {
        case .address: perform([.send(0)], file)
        case .none: end(file, .failed(failure))
        case .unknown:
            // The transport's thread must not wait.
            let search = AddressSearch { [self] in afterWait { self.goOn(file, after: failure, failed) } }
            wait(for: { lookUp(failed.url) { search.end() } }, endingBy: search.end)
        }
    }

    // MARK: Names

    /// How long a failed attempt waits for a name server's word.
    private static let longestQuestion = Duration.seconds(1)

    /// A host was not found. The attempt ends when a name server has said whether the name exists, unless that takes too
    /// long: it was asked just before, so it has the answer at hand.
    func judgeName(_ file: PartialFile, _ failure: FetchFailure) {
        guard let host = failure.unfoundHost, addresses.isDoubtful(host) else { return end(file, .failed(failure)) }
        // The transport's thread must not wait.
        let search = AddressSearch { [self] in
            afterWait {
                var failure = failure
                failure.hasNoSuchName = self.addresses.hasNoSuchName(host)
                self.end(file, .failed(failure))
            }
        }
        wait(for: { lookUp(host) { search.end() } }, endingBy: search.end)
        runtime.after(Self.longestQuestion) { search.end() }
    }

    private func goOn(_ file: PartialFile, after failure: FetchFailure, _ failed: FailedAddress) {
        let sibling = addresses.change(failed.url.origin) { $0.leave(silent: failed.address, now: $1) }
        // A cancelled attempt sends nothing, and ends.
        if case .address = sibling { return perform([.send(0)], file) }
        isStopping ? perform([.send(0)], file) : end(file, .failed(failure))
    }
}
