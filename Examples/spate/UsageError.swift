/// A call that can't be carried out as it was given, found before anything is fetched or touched.
struct UsageError: Error, Equatable {
    /// One sentence or two: what is wrong, and what would be right.
    let message: String

    init(_ message: String) {
        self.message = message
    }
}
