/// What the command line asks for.
struct BenchmarkArguments: Equatable {
    enum Action: Equatable {
        case measure, list, help
        /// Figures of an earlier run are drawn again.
        case draw(figures: String)
        /// The work of the program's own child: so many downloads enqueued at this port.
        case measureQueue(count: Int, port: UInt16)
    }

    var action = Action.measure
    /// In the order of the list, each once; all where none is named.
    var scenarios: [Scenario] = Scenario.all
    /// Those to run; what is not installed is left out of them later.
    var contestants: [Contestant] = Contestant.allCases
    var rounds = 5
    var json: String?
    var svg: String?
    var markdown: String?
    var directory: String?
    /// The work is so many times as much: for trying the program itself.
    var scale = 1.0

    /// - Parameter words: the command line without the program's name.
    init(_ words: [String]) throws(UsageError) {
        var rest = words[...]
        var names: [String] = []
        while let word = rest.popFirst() {
            guard word.hasPrefix("-") else {
                names.append(word)
                continue
            }
            let option = word.prefix { $0 != "=" }
            var attached = option.endIndex < word.endIndex ? String(word[option.endIndex...].dropFirst()) : nil
            func value(_ name: String) throws(UsageError) -> String {
                defer { attached = nil }
                if let value = attached ?? rest.popFirst() { return value }
                throw UsageError(message: "\(option) needs a value: \(option) \(name)")
            }
            switch option {
            case "--help", "-h": action = .help
            case "--list": action = .list
            case "--json": json = try value("FILE")
            case "--svg": svg = try value("FILE")
            case "--markdown": markdown = try value("FILE")
            case "--from": action = .draw(figures: try value("FILE"))
            case "--directory": directory = try value("DIR")
            case "--rounds": rounds = try Self.number(try value("N"), of: option, in: 1...1_000)
            case "--programs": contestants = try Self.contestants(try value("LIST"))
            case "--scale": scale = try Self.scale(try value("FACTOR"))
            case "--measure-queue":
                let count = try Self.number(try value("COUNT"), of: option, in: 1...10_000_000)
                let port = try Self.number(try value("PORT"), of: option, in: 1...Int(UInt16.max))
                action = .measureQueue(count: count, port: UInt16(port))
            default:
                throw Self.unknown("option", String(option), among: Self.options)
            }
            if attached != nil { throw UsageError(message: "\(option) takes no value") }
            if action == .help { return }
        }
        for name in names where !Scenario.all.contains(where: { $0.name == name }) {
            throw Self.unknown("scenario", name, among: Scenario.all.map(\.name))
        }
        if !names.isEmpty { scenarios = Scenario.all.filter { names.contains($0.name) } }
        scenarios = scenarios.map { $0.scaled(by: scale) }
    }

    private static let options = [
        "--rounds", "--programs", "--json", "--svg", "--markdown", "--from", "--directory", "--list", "--help",
    ]

    private static func unknown(_ kind: String, _ name: String, among names: [String]) -> UsageError {
        let meant = Suggestion.nearest(to: name, among: names)
        return UsageError(message: "unknown \(kind) \(name)" + (meant.map { "; did you mean \($0)?" } ?? ""))
    }

    private static func number(
        _ text: String,
        of option: Substring,
        in range: ClosedRange<Int>
    ) throws(UsageError) -> Int {
        guard let number = Int(text), range.contains(number) else {
            throw UsageError(message: "\(option) takes a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private static func scale(_ text: String) throws(UsageError) -> Double {
        guard let scale = Double(text), scale > 0, scale <= 10 else {
            throw UsageError(message: "--scale takes a factor above 0, up to 10")
        }
        return scale
    }

    private static func contestants(_ text: String) throws(UsageError) -> [Contestant] {
        let names = text.split(separator: ",").map(String.init)
        for name in names where Contestant(rawValue: name) == nil {
            throw unknown("program", name, among: Contestant.allCases.map(\.rawValue))
        }
        guard !names.isEmpty else { throw UsageError(message: "--programs takes names with commas between them") }
        return Contestant.allCases.filter { names.contains($0.rawValue) }
    }
}
