import HTTPResumption

/// The hosts that have refused requests, with what each allows now.
///
/// It has no clock. Each call says when it happens, counted from any moment.
struct HostRestraints {
    typealias Time = HostRestraint.Time

    /// Of most hosts there is none.
    private var hosts: [HTTPOrigin: HostRestraint] = [:]

    /// Whether a host has asked to wait.
    func isQuiet(_ name: HTTPOrigin, now: Time) -> Bool { self[name]?.isQuiet(now) ?? false }

    /// How many may connect to a host at once; `nil` if it limits nothing.
    func limit(of name: HTTPOrigin, now: Time) -> Int? { self[name]?.limit(now) }

    /// Returns whether the host had refused nothing before, as far as is remembered.
    ///
    /// - Parameters:
    ///   - attempt: the download whose attempt was refused, and when it began; `nil` for a helper.
    ///   - running: how many connect to this host, with this attempt.
    mutating func note(
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

    /// Forgets what is over. Returns when the rest of it changes next; `nil` if nothing is left.
    mutating func refresh(_ name: HTTPOrigin, now: Time) -> Time? {
        guard let restraint = hosts[name] else { return nil }
        let next = restraint.nextChange(after: now)
        if next == nil { hosts[name] = nil }
        return next
    }

    private subscript(name: HTTPOrigin) -> HostRestraint? { hosts.isEmpty ? nil : hosts[name] }
}
