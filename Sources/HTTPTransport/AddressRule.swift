package import SpateHTTPSyntax

/// To which addresses requests may connect.
package struct AddressRule: Sendable {
    /// Decides about an address. It runs on a loop's thread, outside of the ``ExitGate``.
    let allows: @Sendable (IPAddress) -> Bool
    /// Whether requests may go by a proxy, which connects where it wants. Its own address is not judged.
    let trustsProxies: Bool

    package init(trustsProxies: Bool, allows: @escaping @Sendable (IPAddress) -> Bool) {
        (self.trustsProxies, self.allows) = (trustsProxies, allows)
    }
}

extension TransportRequest {
    /// Whether the addresses are judged: there is a rule, and no proxy.
    var judgesAddresses: Bool { settings.addresses != nil && UsedProxy(for: url, settings.proxy) == nil }

    /// The proxy of this request, if the settings allow no proxy.
    var refusedProxy: UsedProxy? {
        guard let rule = settings.addresses, !rule.trustsProxies else { return nil }
        return UsedProxy(for: url, settings.proxy)
    }
}

/// What a rule has said of the addresses of one transfer.
struct AddressJudgement {
    private let rule: AddressRule
    private var refused: IPAddress?
    private var allowed: [IPAddress] = []

    init(_ rule: AddressRule) {
        self.rule = rule
    }

    /// Asks once about each address: libcurl does for a new connection, and again before it uses that.
    ///
    /// - Parameter address: `nil` if it is of no known family.
    mutating func allows(_ address: IPAddress?) -> Bool {
        guard let address = address?.unmapped else { return false }
        if allowed.contains(address) { return true }
        let isAllowed = ExitGate.outside { rule.allows(address) }
        if isAllowed { allowed.append(address) } else if refused == nil { refused = address }
        return isAllowed
    }

    /// The error of a transfer that found no address that is allowed.
    var error: TransportError? {
        guard let refused, allowed.isEmpty else { return nil }
        var error = TransportError(.addressNotAllowed, detail: "")
        error.address = refused.description
        return error
    }
}
