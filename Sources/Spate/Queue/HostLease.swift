import HTTPResumption

/// The right to one connection to a host, from the ``HostLedger`` of a manager.
///
/// It is a value: giving it back twice does nothing.
struct HostLease: Hashable, Sendable {
    let host: HTTPOrigin
    let number: UInt64
}
