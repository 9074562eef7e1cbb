/// Encoded by the names of its properties. Leaves out an unknown size, and an infinite speed, which JSON cannot hold. A
/// missing key takes its default.
extension DownloadProgress: Codable {
    private enum CodingKeys: String, CodingKey {
        case receivedBytes, totalBytes, bytesPerSecond, connectionCount
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            receivedBytes: try values.decodeIfPresent(Int64.self, forKey: .receivedBytes) ?? 0,
            totalBytes: try values.decodeIfPresent(Int64.self, forKey: .totalBytes),
            bytesPerSecond: try values.decodeIfPresent(Double.self, forKey: .bytesPerSecond) ?? 0,
            connectionCount: try values.decodeIfPresent(Int.self, forKey: .connectionCount) ?? 0
        )
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(receivedBytes, forKey: .receivedBytes)
        try values.encodeIfPresent(totalBytes, forKey: .totalBytes)
        if bytesPerSecond.isFinite { try values.encode(bytesPerSecond, forKey: .bytesPerSecond) }
        if connectionCount != 0 { try values.encode(connectionCount, forKey: .connectionCount) }
    }
}
