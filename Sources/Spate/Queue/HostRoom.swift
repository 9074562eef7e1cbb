/// What a host has room for.
struct HostRoom {
    /// How many more connections beside the first one.
    var helpers: Int
    /// Whether another connection may take the place of the first one.
    let mayReplaceFirst: Bool
}
