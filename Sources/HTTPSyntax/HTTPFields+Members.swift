extension HTTPFields {
    /// The members of all list-valued fields of that name, without empty ones.
    package func members(of name: String) -> [String] {
        var members: [String] = []
        forEachMember(of: name) { members.append(Self.text($0)) }
        return members
    }

    /// Calls `body` with the bytes of each member.
    func forEachMember(of name: String, _ body: (ArraySlice<UInt8>) -> Void) {
        forEachValue(of: name) { Self.forEachMember(in: $0, body) }
    }

    /// Whether a list-valued field has this member; ignores case.
    package func has(_ member: String, in name: String) -> Bool {
        var isThere = false
        forEachMember(of: name) { isThere = isThere || $0.span.spells(member) }
        return isThere
    }

    private static func forEachMember(in value: ArraySlice<UInt8>, _ body: (ArraySlice<UInt8>) -> Void) {
        var isQuoted = false
        var isEscaped = false
        var start = value.startIndex
        func end(at index: Int) {
            let member = trimmed(value[start..<index])
            if !member.isEmpty { body(member) }
            start = index + 1
        }
        for index in value.indices {
            let byte = value[index]
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if byte == UInt8(ascii: "\\"), isQuoted {
                isEscaped = true
            } else if byte == UInt8(ascii: ","), !isQuoted {
                end(at: index)
            }
        }
        end(at: value.endIndex)
    }
}
