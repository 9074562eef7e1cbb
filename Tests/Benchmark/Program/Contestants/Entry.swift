/// A program, and how many connections it is told to use for a file.
struct Entry: Sendable, Equatable {
    let contestant: Contestant
    /// `nil` leaves the number to the program, or says one to a program that would use more.
    let connections: Int?

    init(_ contestant: Contestant, connections: Int? = nil) {
        (self.contestant, self.connections) = (contestant, connections)
    }

    /// As figures have it: `aria2c -x 8`.
    var name: String { contestant.rawValue + (connections.map { " -x \($0)" } ?? "") }

    /// Whether figures of this name are of our own program.
    static func isOurs(_ name: String) -> Bool { name.split(separator: " ").first == "spate" }
}
