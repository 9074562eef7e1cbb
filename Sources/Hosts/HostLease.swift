package import HTTPSyntax

/// Permission for one connection to a host, from the manager's ``HostLedger``. Returning it twice does nothing.
package struct HostLease: Hashable, Sendable {
    package let host: HTTPOrigin
    package let number: UInt64

    package init(host: HTTPOrigin, number: UInt64) {
        (self.host, self.number) = (host, number)
    }
}
