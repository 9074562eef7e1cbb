/// What the command line asks for.
struct BenchmarkArguments: Equatable {
    enum Action: Equatable {
        case measure, list, help
        /// Figures of an earlier run are drawn again.
        case draw(figures: String)
        /// The work of the program's own child: this many downloads enqueued at this port, perhaps with a journal.
        case measureQueue(count: Int, port: UInt16, isKept: Bool)
        /// The same for the library's entry: the files of this list, one after the other.
        case fetchOneByOne(list: String, folder: String)
    }

    /// Enough for a stable median of runs that take a fraction of a second.
    static let defaultRounds = 9

    var action = Action.measure
    /// In the order of the list, each once; all where none is named.
    var scenarios: [Scenario] = Scenario.all
    /// Those to run; what is not installed is left out of them later.
    var contestants: [Contestant] = Contestant.allCases
    var rounds = Self.defaultRounds
    var json: String?
    var svg: String?
    var markdown: String?
    var directory: String?
    /// The repository whose pages show the figures.
    var publish: String?
    /// How many times as much the work is: for trying the program itself.
    var scale = 1.0

    /// - Parameter words: the command line without the program's name.
    init(_ words: [String]) throws(UsageError) {
        var rest = words[...]
        var names: Set<String> = []
        while let word = rest.popFirst() {
            guard word.hasPrefix("-") else {
                names.insert(word)
                continue
            }
            func value(_ name: String) throws(UsageError) -> String {
                guard let value = rest.popFirst() else { throw UsageError("\(word) needs a value: \(word) \(name)") }
                return value
            }
            func number(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int {
                guard let number = Int(try value(name)), range.contains(number) else {
                    throw UsageError("\(word) takes a number from \(range.lowerBound) to \(range.upperBound)")
                }
                return number
            }
            switch word {
            case "--help", "-h":
                action = .help
                return
            case "--list": action = .list
            case "--json": json = try value("FILE")
            case "--svg": svg = try value("FILE")
            case "--markdown": markdown = try value("FILE")
            case "--publish": publish = try value("DIR")
            case "--from": action = .draw(figures: try value("FILE"))
            case "--directory": directory = try value("DIR")
            case "--rounds": rounds = try number("N", in: 1...1_000)
            case "--programs": contestants = try Self.contestants(try value("LIST"))
            case "--scale":
                guard let factor = Double(try value("FACTOR")), factor > 0, factor <= 10 else {
                    throw UsageError("--scale takes a factor above 0, up to 10")
                }
                scale = factor
            case "--measure-queue", "--measure-kept-queue":
                let count = try number("COUNT", in: 1...10_000_000)
                let port = UInt16(try number("PORT", in: 1...Int(UInt16.max)))
                action = .measureQueue(count: count, port: port, isKept: word == "--measure-kept-queue")
            case "--fetch-one-by-one":
                action = .fetchOneByOne(list: try value("LIST FOLDER"), folder: try value("LIST FOLDER"))
            default: throw UsageError("unknown option \(word); see --help")
            }
        }
        for (group, members) in Scenario.groups where names.remove(group) != nil {
            names.formUnion(members.map(\.name))
        }
        let unknown = names.subtracting(Scenario.all.map(\.name))
        if let name = unknown.first { throw UsageError("unknown scenario \(name); --list names them") }
        if !names.isEmpty { scenarios = scenarios.filter { names.contains($0.name) } }
        scenarios = scenarios.map { $0.scaled(by: scale) }
    }

    private static func contestants(_ text: String) throws(UsageError) -> [Contestant] {
        let names = text.split(separator: ",").map(String.init)
        let all = Contestant.allCases.map(\.rawValue)
        guard !names.isEmpty, names.allSatisfy(all.contains) else {
            throw UsageError("--programs takes some of \(all.joined(separator: ","))")
        }
        return Contestant.allCases.filter { names.contains($0.rawValue) }
    }
}

/// A call that can't be carried out as it was given.
struct UsageError: Error, Equatable {
    /// What is wrong, and what would be right.
    let message: String

    init(_ message: String) {
        self.message = message
    }
}
