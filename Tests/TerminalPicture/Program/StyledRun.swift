/// Characters of one line that look alike and stand side by side.
struct StyledRun: Equatable {
    var text: String
    /// Where it begins.
    var column: Int
    /// How many columns it takes.
    var columns: Int
    var style: TerminalStyle

    /// The words in it, at their places: what lies between them is nothing to draw.
    var words: [StyledRun] {
        var words: [StyledRun] = []
        var end = column
        var isApart = true
        for scalar in text.unicodeScalars {
            let width = Self.columns(of: scalar)
            if scalar == " " {
                isApart = true
            } else if isApart {
                words.append(StyledRun(text: String(scalar), column: end, columns: width, style: style))
                isApart = false
            } else {
                words[words.count - 1].text.unicodeScalars.append(scalar)
                words[words.count - 1].columns += width
            }
            end += width
        }
        return words
    }

    /// How many columns a character takes: none where it joins the one before it, two where it is wide.
    static func columns(of scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }
}
