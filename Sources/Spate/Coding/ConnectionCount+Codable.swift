/// Encoded as `"auto"` or as a number.
extension ConnectionCount: Codable {
    private static let automaticWord = "auto"

    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let count = try? value.decode(Int.self) {
            self = .exactly(count)
        } else if try value.decode(String.self) == Self.automaticWord {
            self = .automatic
        } else {
            throw DecodingError.dataCorruptedError(in: value, debugDescription: "Neither a number nor \"auto\".")
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .automatic: try value.encode(Self.automaticWord)
        case .exactly(let count): try value.encode(count)
        }
    }
}
