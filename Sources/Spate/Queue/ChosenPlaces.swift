import SpateHTTPSyntax
import SpatePartialFiles

/// The places of ended downloads whose requests chose the folder or the name: a URL alone does not lead there. Only the
/// latest; the folder knows the rest.
struct ChosenPlaces {
    private var claims: [HTTPURL: [FileClaim]] = [:]
    /// The URLs, once for each place, the oldest first.
    private var order = FIFO<HTTPURL>()
    private let limit: Int

    init(limit: Int = 10_000) {
        self.limit = limit
    }

    /// The claims of this URL, the oldest first.
    subscript(url: HTTPURL) -> [FileClaim] { claims[url] ?? [] }

    mutating func insert(_ claim: FileClaim) {
        // No password outlives its download.
        let claim = claim.withoutCredentials
        guard !self[claim.origin].contains(claim) else { return }
        claims[claim.origin, default: []].append(claim)
        order.append(claim.origin)
        guard order.count > limit, let oldest = order.popFirst() else { return }
        let rest = self[oldest].dropFirst()
        claims[oldest] = rest.isEmpty ? nil : Array(rest)
    }
}
