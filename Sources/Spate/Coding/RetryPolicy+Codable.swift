/// Encoded by the names of its properties, the times in seconds, to the nanosecond. Each may be missing in what is
/// decoded and has then its default:
///
///     {"retriesInVain": 10, "maximumDelay": 30}
extension RetryPolicy: Codable {
    private enum CodingKeys: String, CodingKey {
        case retriesInVain, firstDelay, maximumDelay, maximumRetryAfter
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func duration(_ key: CodingKeys) throws -> Duration? {
            guard let seconds = try values.decodeIfPresent(Double.self, forKey: key) else { return nil }
            // Beyond this a number of nanoseconds overflows, which traps; nobody waits for three centuries.
            guard abs(seconds) < 9e9 else {
                throw DecodingError.dataCorruptedError(
                    forKey: key,
                    in: values,
                    debugDescription: "A time in seconds is wanted, below nine billion."
                )
            }
            return .nanoseconds(Int64((seconds * 1e9).rounded()))
        }
        self.init()
        retriesInVain = try values.decodeIfPresent(Int.self, forKey: .retriesInVain) ?? retriesInVain
        firstDelay = try duration(.firstDelay) ?? firstDelay
        maximumDelay = try duration(.maximumDelay) ?? maximumDelay
        maximumRetryAfter = try duration(.maximumRetryAfter) ?? maximumRetryAfter
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(retriesInVain, forKey: .retriesInVain)
        for (key, duration) in [
            (CodingKeys.firstDelay, firstDelay), (.maximumDelay, maximumDelay), (.maximumRetryAfter, maximumRetryAfter),
        ] {
            // What is longer than can be read back is cut to that.
            try values.encode(min(max(duration.inSeconds, -8.9e9), 8.9e9), forKey: key)
        }
    }
}
