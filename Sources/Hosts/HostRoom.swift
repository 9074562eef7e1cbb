/// The helpers that a host allows beside the first connection of a file.
package struct HostRoom {
    /// The number of helpers that may be opened.
    package var helpers: Int
    /// Whether a helper may take the place of the first connection.
    package let mayReplaceFirst: Bool

    package init(helpers: Int, mayReplaceFirst: Bool) {
        (self.helpers, self.mayReplaceFirst) = (helpers, mayReplaceFirst)
    }
}
