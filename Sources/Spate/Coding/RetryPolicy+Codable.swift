/// Encoded by the names of its properties, with times in seconds, to the nanosecond. A missing key takes its default:
///
///     {"maxRetriesWithoutProgress": 10, "maximumDelay": 30}
extension RetryPolicy: Codable {
    private enum CodingKeys: String, CodingKey {
        case maxRetriesWithoutProgress, maxRetriesOfUnknownName, firstDelay, maximumDelay, maximumRetryAfter
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func duration(_ key: CodingKeys) throws -> Duration? {
            try values.decodeIfPresent(Seconds.self, forKey: key)?.duration
        }
        self.init()
        maxRetriesWithoutProgress =
            try values.decodeIfPresent(Int.self, forKey: .maxRetriesWithoutProgress) ?? maxRetriesWithoutProgress
        maxRetriesOfUnknownName =
            try values.decodeIfPresent(Int.self, forKey: .maxRetriesOfUnknownName) ?? maxRetriesOfUnknownName
        firstDelay = try duration(.firstDelay) ?? firstDelay
        maximumDelay = try duration(.maximumDelay) ?? maximumDelay
        maximumRetryAfter = try duration(.maximumRetryAfter) ?? maximumRetryAfter
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(maxRetriesWithoutProgress, forKey: .maxRetriesWithoutProgress)
        try values.encode(maxRetriesOfUnknownName, forKey: .maxRetriesOfUnknownName)
        for (key, duration) in [
            (CodingKeys.firstDelay, firstDelay), (.maximumDelay, maximumDelay), (.maximumRetryAfter, maximumRetryAfter),
        ] {
            try values.encode(Seconds(duration), forKey: key)
        }
    }
}
