/// Permission for one connection to a host, from the manager's ``HostLedger``. Returning it twice does nothing.
package struct HostLease: Hashable, Sendable {
    package let number: UInt64
    /// The index of its entry in the ledger.
    package let index: Int

    package init(number: UInt64, index: Int) {
        (self.number, self.index) = (number, index)
    }
}
