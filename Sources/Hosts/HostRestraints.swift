package import SpateHTTPSyntax

/// The hosts that have refused requests recently, with their current limits.
///
/// It has no clock. Each call states its time, counted from any moment.
package struct HostRestraints {
    package typealias Time = HostRestraint.Time

    /// Most hosts have no restraint.
    private var hosts: [HTTPOrigin: HostRestraint] = [:]

    package init() {}

    /// Whether no host has refused anything lately.
    package var isEmpty: Bool { hosts.isEmpty }

    /// Whether a host has asked to wait.
    package func isQuiet(_ name: HTTPOrigin, now: @autoclosure () -> Time) -> Bool {
        self[name]?.isQuiet(now()) ?? false
    }

    /// The most connections to a host; `nil` if it has set no limit.
    package func limit(of name: HTTPOrigin, now: Time) -> Int? { self[name]?.limit(now) }

    /// Notes a refusal. Returns whether the host had no remembered refusal before.
    ///
    /// - Parameters:
    ///   - attempt: the download whose attempt was refused, and when it began; `nil` for a helper.
    ///   - running: the number of connections to this host, including this one.
    package mutating func note(
        _ refusal: HostRestraint.Refusal,
        at name: HTTPOrigin,
        of attempt: (ObjectIdentifier, began: Time)?,
        running: Int,
        now: Time
    ) -> Bool {
        let known = hosts[name]
        var restraint = known ?? HostRestraint()
        if let (download, began) = attempt {
            restraint.note(refusal, of: download, began: began, running: running, now: now)
        } else {
            restraint.noteWait(refusal, now: now)
        }
        hosts[name] = restraint
        return known == nil
    }

    /// Forgets an expired restraint. Returns when to look again; `nil` if nothing is left.
    package mutating func refresh(_ name: HTTPOrigin, now: Time) -> Time? {
        guard let restraint = hosts[name] else { return nil }
        let next = restraint.nextChange(after: now)
        if next == nil { hosts[name] = nil }
        return next
    }

    private subscript(name: HTTPOrigin) -> HostRestraint? { hosts.isEmpty ? nil : hosts[name] }
}
