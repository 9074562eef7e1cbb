import SpateTiming

/// A time, written in seconds, to the nanosecond.
struct Seconds: Codable, LosslessStringConvertible {
    let duration: Duration

    init(_ duration: Duration) {
        // A longer time could not be read back.
        self.duration = min(max(duration, .seconds(-8.9e9)), .seconds(8.9e9))
    }

    /// `nil` for some three centuries or more: their nanoseconds would overflow, which traps.
    private init?(_ seconds: Double) {
        guard abs(seconds) < 9e9 else { return nil }
        duration = .nanoseconds(Int64((seconds * 1e9).rounded()))
    }

    init?(_ text: String) {
        guard let seconds = Double(text) else { return nil }
        self.init(seconds)
    }

    var description: String { "\(duration.inSeconds)" }

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        guard let seconds = Self(try value.decode(Double.self)) else {
            throw DecodingError.dataCorruptedError(
                in: value,
                debugDescription: "A time must be a number of seconds below nine billion."
            )
        }
        self = seconds
    }

    func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        try value.encode(duration.inSeconds)
    }
}
