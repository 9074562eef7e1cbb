/// Something that a test waited for did not happen in time.
package struct DeadlineExceeded: Error, CustomStringConvertible {
    package let awaited: String
    package let limit: Duration
    /// What was there instead when the time was up, if the wait could see it.
    package let found: String?
    package let place: String

    package var description: String {
        let instead = found.map { "; there was \($0)" } ?? ""
        return "\(place): waited \(limit) in vain for \(awaited)\(instead)"
    }
}
