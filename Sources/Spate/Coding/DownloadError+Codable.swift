/// Encoded as its raw value.
extension DownloadError.Code: Codable {}

/// Encoded by the names of its properties, without ``url``, ``nextTry``, ``failureReason`` and ``underlying``. Decoding requires the code and the message.
extension DownloadError: Codable {
    private enum CodingKeys: String, CodingKey {
        case code, message, isRetryable, keptPartialFile, statusCode
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try values.decode(Code.self, forKey: .code),
            try values.decode(String.self, forKey: .message),
            isRetryable: try values.decodeIfPresent(Bool.self, forKey: .isRetryable) ?? false,
            keptPartialFile: try values.decodeIfPresent(Bool.self, forKey: .keptPartialFile) ?? false,
            statusCode: try values.decodeIfPresent(Int.self, forKey: .statusCode)
        )
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(code, forKey: .code)
        try values.encode(message, forKey: .message)
        try values.encode(isRetryable, forKey: .isRetryable)
        try values.encode(keptPartialFile, forKey: .keptPartialFile)
        try values.encodeIfPresent(statusCode, forKey: .statusCode)
    }
}
