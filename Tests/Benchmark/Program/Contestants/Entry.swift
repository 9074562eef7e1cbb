/// A program, and how it takes part.
struct Entry: Sendable, Equatable {
    let contestant: Contestant
    /// The connections for a file; `nil` leaves the number to the program, or says one to a program that would use more.
    let connections: Int?
    /// Whether the library is called in place of our program: each file is awaited before the next is enqueued.
    let isLibrary: Bool

    init(_ contestant: Contestant, connections: Int? = nil) {
        (self.contestant, self.connections, isLibrary) = (contestant, connections, false)
    }

    private init(library contestant: Contestant) {
        (self.contestant, connections, isLibrary) = (contestant, nil, true)
    }

    static let library = Entry(library: .spate)

    /// As figures have it: `aria2c -x 8`.
    var name: String {
        contestant.rawValue + (isLibrary ? " library" : "") + (connections.map { " -x \($0)" } ?? "")
    }

    /// Whether figures of this name are of our own program or library.
    static func isOurs(_ name: String) -> Bool { name.split(separator: " ").first == "spate" }

    /// The program's path with its arguments.
    func command(of installed: InstalledContestant, for order: FetchOrder) throws -> (path: String, arguments: [String])
    {
        guard isLibrary else { return (installed.path, installed.contestant.arguments(for: order)) }
        return (try ProgramPath.built("spate-benchmark"), ["--fetch-one-by-one", order.list, order.folder])
    }
}
