/// Parses the input of a terminal. Escape sequences may arrive in pieces. Unknown sequences and pasted text are ignored.
struct KeyParser {
    private enum State: Equatable {
        case plain
        case escape
        /// After `ESC [`, with the bytes so far.
        case sequence([UInt8])
        /// After `ESC O`: one more byte.
        case single
        /// In a control string, which ends with BEL or `ESC \`.
        case string(afterEscape: Bool)
    }

    private var state = State.plain
    private var isPasting = false

    private static let escape: UInt8 = 0x1B
    /// No key sends a longer sequence. The rest is not stored.
    private static let longestSequence = 32

    /// Whether the last byte was ESC: the Escape key, or the start of a sequence.
    var waitsAfterEscape: Bool { state == .escape && !isPasting }

    /// Call this if no input arrived for a while: a single ESC was the Escape key.
    mutating func flush() -> Key? {
        guard waitsAfterEscape else { return nil }
        state = .plain
        return .escape
    }

    mutating func feed(_ bytes: some Sequence<UInt8>) -> [Key] {
        bytes.compactMap { feed($0) }
    }

    private mutating func feed(_ byte: UInt8) -> Key? {
        switch state {
        case .plain:
            return plain(byte)
        case .escape:
            switch byte {
            case Self.escape: break
            case UInt8(ascii: "["): state = .sequence([])
            case UInt8(ascii: "O"): state = .single
            case UInt8(ascii: "P"), UInt8(ascii: "]"), UInt8(ascii: "X"), UInt8(ascii: "^"), UInt8(ascii: "_"):
                state = .string(afterEscape: false)
            // A key with Alt.
            default: state = .plain
            }
        case .single:
            state = .plain
            return arrow(byte)
        case .sequence(let before):
            switch byte {
            case 0x40...0x7E:
                state = .plain
                return finish(before, byte)
            case 0x20...0x3F: if before.count < Self.longestSequence { state = .sequence(before + [byte]) }
            case Self.escape: state = .escape
            default: state = .plain
            }
        case .string(let afterEscape):
            let isEnd = byte == 0x07 || (afterEscape && byte == UInt8(ascii: "\\"))
            state = isEnd ? .plain : .string(afterEscape: byte == Self.escape)
        }
        return nil
    }

    private mutating func plain(_ byte: UInt8) -> Key? {
        if byte == Self.escape {
            state = .escape
            return nil
        }
        guard !isPasting, (0x20...0x7E).contains(byte) else { return nil }
        return .character(Character(Unicode.Scalar(byte)))
    }

    private mutating func finish(_ before: [UInt8], _ last: UInt8) -> Key? {
        if last == UInt8(ascii: "~") {
            if before == Array("200".utf8) { isPasting = true }
            if before == Array("201".utf8) { isPasting = false }
            return nil
        }
        return before.isEmpty ? arrow(last) : nil
    }

    private func arrow(_ byte: UInt8) -> Key? {
        guard !isPasting else { return nil }
        switch byte {
        case UInt8(ascii: "A"): return .up
        case UInt8(ascii: "B"): return .down
        default: return nil
        }
    }
}

/// A key that the display uses.
enum Key: Equatable {
    case up, down
    /// The Escape key itself.
    case escape
    case character(Character)
}
