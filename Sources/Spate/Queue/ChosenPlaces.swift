import SpateHTTPSyntax

/// The places of ended downloads whose requests chose the folder or the name: a URL alone does not lead there. Only the
/// latest; the folder knows the rest.
struct ChosenPlaces {
    private var places: [HTTPURL: [FilePlace]] = [:]
    /// The URLs, once for each place, the oldest first.
    private var order = FIFO<HTTPURL>()
    private let limit: Int

    init(limit: Int = 10_000) {
        self.limit = limit
    }

    /// The places of this URL, the oldest first.
    subscript(url: HTTPURL) -> [FilePlace] { places[url] ?? [] }

    mutating func insert(_ place: FilePlace, of url: HTTPURL) {
        // No password outlives its download.
        let url = url.withCredentials(nil)
        guard !self[url].contains(place) else { return }
        places[url, default: []].append(place)
        order.append(url)
        guard order.count > limit, let oldest = order.popFirst() else { return }
        let rest = self[oldest].dropFirst()
        places[oldest] = rest.isEmpty ? nil : Array(rest)
    }
}
