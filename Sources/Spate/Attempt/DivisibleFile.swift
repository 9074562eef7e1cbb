import HTTPResumption

/// A file of which several connections may fetch parts.
struct DivisibleFile {
    /// Its total, strong validator and encoding.
    let held: HeldBytes
    /// The address that answered the first connection.
    let route: RequestRoute
    /// How long the answer took.
    let answer: Duration

    var total: Int64 { held.total ?? 0 }
}
