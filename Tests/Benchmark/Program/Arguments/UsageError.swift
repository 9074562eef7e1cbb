/// A call that can't be carried out as it was given.
struct UsageError: Error, Equatable {
    /// What is wrong, and what would be right.
    let message: String
}
