/// A colour of a terminal: one of 256 by its number, or any other by its parts.
enum TerminalColour: Equatable {
    case numbered(Int)
    case mixed(red: Int, green: Int, blue: Int)

    /// What stands on a dark window, and is legible there.
    private static let basic = [
        "#6e7681", "#ff7b72", "#3fb950", "#d29922", "#58a6ff", "#bc8cff", "#39c5cf", "#c9d1d9",
        "#8b949e", "#ffa198", "#56d364", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#ffffff",
    ]

    /// As SVG takes it.
    var text: String {
        switch self {
        case .numbered(let number) where Self.basic.indices.contains(number): return Self.basic[number]
        case .numbered(let number) where (232...255).contains(number):
            let grey = 8 + 10 * (number - 232)
            return Self.hex(grey, grey, grey)
        case .numbered(let number):
            let cube = max(0, min(number, 231) - 16)
            let level = { (part: Int) in part == 0 ? 0 : 55 + 40 * part }
            return Self.hex(level(cube / 36), level(cube / 6 % 6), level(cube % 6))
        case .mixed(let red, let green, let blue): return Self.hex(red, green, blue)
        }
    }

    private static func hex(_ parts: Int...) -> String {
        let digits = parts.map { part in
            let text = String(max(0, min(part, 255)), radix: 16)
            return text.count < 2 ? "0" + text : text
        }
        return "#" + digits.joined()
    }
}
