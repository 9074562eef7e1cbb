/// Permission for one connection to a host, from the manager's ``HostLedger``. Returning it twice does nothing.
package struct HostLease: Hashable, Sendable {
    package let number: UInt64

    package init(number: UInt64) {
        self.number = number
    }
}
