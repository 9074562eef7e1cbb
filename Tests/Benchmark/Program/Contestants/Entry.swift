/// A program, and how it takes part.
struct Entry: Sendable, Equatable {
    let contestant: Contestant
    /// The connections for a file; `nil` leaves the number to the program, or says one to a program that would use more.
    let connections: Int?
    /// Whether the library is called in place of our program: each file is awaited before the next is enqueued.
    let isLibrary: Bool
    /// The options that a user types, where the program is called as users call it; otherwise the order says how many
    /// files come at once.
    let typed: [String]?

    init(_ contestant: Contestant, connections: Int? = nil) {
        (self.contestant, self.connections, isLibrary, typed) = (contestant, connections, false, nil)
    }

    private init(library contestant: Contestant) {
        (self.contestant, connections, isLibrary, typed) = (contestant, nil, true, nil)
    }

    /// - Parameter typed: the options that matter, between spaces; with none the program has its defaults.
    init(_ contestant: Contestant, typed: String) {
        (self.contestant, connections, isLibrary) = (contestant, nil, false)
        self.typed = typed.split(separator: " ").map(String.init)
    }

    static let library = Entry(library: .spate)

    /// Our own program with a number of downloads at once in place of its own choice.
    static func fixed(_ jobs: Int) -> Entry { Entry(.spate, typed: "-j \(jobs)") }

    /// As figures have it: `aria2c -x 8`.
    var name: String {
        if let typed { return ([contestant.rawValue] + typed).joined(separator: " ") }
        return contestant.rawValue + (isLibrary ? " library" : "") + (connections.map { " -x \($0)" } ?? "")
    }

    /// Whether figures of this name are of our own program or library.
    static func isOurs(_ name: String) -> Bool { name.split(separator: " ").first == "spate" }

    /// Whether they are of our own program with a number of downloads at once.
    static func isFixed(_ name: String) -> Bool { name.hasPrefix("spate -j ") }

    /// The program's path with its arguments.
    func command(of installed: InstalledContestant, for order: FetchOrder) throws -> (path: String, arguments: [String])
    {
        if let typed { return (installed.path, installed.contestant.arguments(typed, for: order)) }
        guard isLibrary else { return (installed.path, installed.contestant.arguments(for: order)) }
        return (try ProgramPath.built("spate-benchmark"), ["--fetch-one-by-one", order.list, order.folder])
    }
}
