/// How characters look, as the codes of "select graphic rendition" set it one after the other.
struct TerminalStyle: Equatable {
    var foreground: TerminalColour?
    var background: TerminalColour?
    var isBold = false
    var isDim = false
    var isItalic = false
    var isUnderlined = false
    var isReversed = false

    /// Takes in the parameters of one sequence. What it doesn't know changes nothing.
    mutating func apply(_ parameters: [Int]) {
        var rest = parameters[...]
        if rest.isEmpty { self = TerminalStyle() }
        while let code = rest.popFirst() {
            switch code {
            case 0: self = TerminalStyle()
            case 1: isBold = true
            case 2: isDim = true
            case 3: isItalic = true
            case 4: isUnderlined = true
            case 7: isReversed = true
            case 22: (isBold, isDim) = (false, false)
            case 23: isItalic = false
            case 24: isUnderlined = false
            case 27: isReversed = false
            case 30...37: foreground = .numbered(code - 30)
            case 38: foreground = Self.colour(&rest) ?? foreground
            case 39: foreground = nil
            case 40...47: background = .numbered(code - 40)
            case 48: background = Self.colour(&rest) ?? background
            case 49: background = nil
            case 90...97: foreground = .numbered(code - 82)
            case 100...107: background = .numbered(code - 92)
            default: break
            }
        }
    }

    private static func colour(_ rest: inout ArraySlice<Int>) -> TerminalColour? {
        switch rest.popFirst() {
        case 5: return rest.popFirst().map { .numbered($0) }
        case 2:
            guard rest.count >= 3 else {
                rest = []
                return nil
            }
            let parts = Array(rest.prefix(3))
            rest = rest.dropFirst(3)
            return .mixed(red: parts[0], green: parts[1], blue: parts[2])
        default: return nil
        }
    }
}
