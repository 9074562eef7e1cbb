import Foundation
import Spate

/// A host that has refused some requests of a process.
struct RefusingHost: Hashable {
    let process: pid_t
    let origin: String
}

/// What a manager owes a host that has refused: with the second refusal, half as many connections as there were. Only
/// that is kept which is surely so: the manager may know of more.
struct Restraint {
    /// One connection comes back after so long without a refusal.
    private static let regain = Duration.seconds(10)

    private var lastRefusal: Duration
    private var quietUntil: Duration
    private var halved: (time: Duration, most: Int)?

    /// The first refusal.
    init(_ wait: Duration?, _ now: Duration) {
        (lastRefusal, quietUntil) = (now, now + (wait ?? .zero))
    }

    /// - Parameters:
    ///   - began: when the refused attempt began.
    ///   - least: how many connections there were at least.
    ///   - most: how many there were at most.
    mutating func refuses(_ wait: Duration?, attemptSince began: Duration?, least: Int, most: Int, _ now: Duration) {
        if !isHeld(now) {
            // By now at least one has come back, and how many may be there is not known.
            halved = nil
        } else if began.map({ $0 >= halved?.time ?? .zero }) ?? false {
            halved = least > 1 ? (now, max(1, most / 2)) : nil
        }
        lastRefusal = now
        quietUntil = max(quietUntil, now + (wait ?? .zero))
    }

    /// How many connections there may be; `nil` if that is not known.
    func most(_ now: Duration) -> Int? { isHeld(now) ? halved?.most : nil }

    private func isHeld(_ now: Duration) -> Bool { now < max(lastRefusal, quietUntil) + Self.regain }
}

/// What is owed to hosts that refuse, and to downloads that wait for them.
extension World {
    /// Looks at the heads and the attempts since the last look.
    func checkRefusals() {
        for refusal in network.refusals[checkedRefusals...] { note(refusal) }
        checkedRefusals = network.refusals.count
        for session in sessions { checkStarts(of: session) }
    }

    private func checkStarts(of session: Session) {
        for (url, start) in session.watcher.starts {
            let sent = network.requests[start.firstRequest...].first {
                $0.process == session.process.number && !$0.isHelper && self.url(of: $0) == url
            }
            guard let sent else { continue }
            session.watcher.starts[url] = nil
            if start.full.contains(sent.origin) {
                fail("\(shown(url)) begins at \(sent.origin), which has refused, and has enough connections")
            }
        }
    }

    /// Whether a host surely has room for another connection, so that nobody waits for it: it has never refused, and
    /// all connections of the manager are fewer than one host may have.
    func hasRoom(_ host: URL, of session: Session, leases: Int) -> Bool {
        guard let limit = traits.connectionsPerHost, leases < limit else { return false }
        if let paced = session.manager?.pacedHosts[host.originText], paced.connections >= paced.limit {
            return false
        }
        return !network.refusals.contains { refusal in
            let request = network.requests[refusal.request]
            // A redirect's target is refused for the host that leads there, too.
            let origins = [request.origin, url(of: request)?.originText]
            return request.process == session.process.number && origins.contains(host.originText)
        }
    }

    private func note(_ refusal: NetworkRefusal) {
        let request = network.requests[refusal.request]
        if let session = sessions.first(where: { $0.process.number == request.process }) {
            noteMeeting(.refusal, of: session)
        }
        // A download that was refused a further connection has fewer, and nothing else changes.
        guard jobsAreWhole, !request.isHelper, request.status == 429 || request.retryAfter != nil,
            managerCounts[request.process] == 1,
            let session = sessions.first(where: { $0.process.number == request.process }), session.manager != nil,
            let file = network.file(at: request.url), !file.mayRedirect
        else { return }
        let host = RefusingHost(process: request.process, origin: request.origin)
        // Nobody waits longer than the policy allows.
        let wait = request.retryAfter.map { min($0, traits.retry.maximumRetryAfter) }
        guard restraints[host] != nil else { return restraints[host] = Restraint(wait, refusal.time) }
        let began = url(of: request).flatMap { session.watcher.lastStart(of: $0) }
        restraints[host]?.refuses(
            wait,
            attemptSince: began,
            least: refusal.openCount,
            most: max(refusal.openCount, session.watcher.leases),
            refusal.time
        )
    }

    /// A download begins. Its host may have refused, so that it should wait for others.
    ///
    /// - Returns: the hosts at which it may not have begun.
    func hostsWithoutRoom(for url: URL, in process: SimulatedProcess) -> Set<String> {
        guard jobsAreWhole, managerCounts[process.number] == 1 else { return [] }
        let full = restraints.filter { host, restraint in
            guard host.process == process.number, let most = restraint.most(timeline.now) else { return false }
            return openCount(at: host.origin, of: process.number, besides: url) >= most
        }
        return Set(full.keys.map(\.origin))
    }

    /// What an attempt begins with.
    struct AttemptStart {
        /// The number of the first request that may be its own, which may have been sent before it was told.
        let firstRequest: Int
        /// Where it may not begin.
        let full: Set<String>
    }

    /// How many connections a process has at a host, without those that count for another.
    private func openCount(at origin: String, of process: pid_t, besides own: URL) -> Int {
        network.runningRequests(of: process).count { other in
            guard other.origin == origin, let file = network.file(at: other.url), url(of: other) != own else {
                return false
            }
            return file.url == other.url.prefix { $0 != "?" } && !file.mayRedirect
        }
    }
}

extension URL {
    /// As the network calls it.
    fileprivate var originText: String { "\(scheme ?? "")://\(host ?? "")" }
}
