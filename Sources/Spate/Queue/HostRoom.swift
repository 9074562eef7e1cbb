/// What a host allows beside the first connection of a file.
struct HostRoom {
    /// The number of helpers that may be opened.
    var helpers: Int
    /// Whether a helper may take the place of the first connection.
    let mayReplaceFirst: Bool
}
