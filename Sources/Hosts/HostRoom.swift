/// The helpers that a host allows beside the first connection of a file.
package struct HostRoom {
    /// The number of helpers that may be opened.
    package var helpers: Int
    /// How many bytes each may fetch at a time; `nil` for as many as it likes.
    package var mostOfPart: Int64?
    /// The number of helpers to end: the host does not bear them.
    package var surplus = 0
    /// Whether a helper may take the place of the first connection.
    package let mayReplaceFirst: Bool
    /// Whether another helper may replace one that has taken the place of the first connection.
    package let mayReplaceHelper: Bool

    package init(helpers: Int, mayReplaceFirst: Bool, mayReplaceHelper: Bool) {
        (self.helpers, self.mayReplaceFirst) = (helpers, mayReplaceFirst)
        self.mayReplaceHelper = mayReplaceHelper
    }
}
