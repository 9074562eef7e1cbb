import HTTPSyntax

/// Permission for one connection to a host, from the ``HostLedger`` of a manager. Giving it back twice does nothing.
struct HostLease: Hashable, Sendable {
    let host: HTTPOrigin
    let number: UInt64
}
