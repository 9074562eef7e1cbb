import SpateHTTPSyntax

extension FuzzTarget {
    /// The lines of a response's head, with the length and encoding of the body.
    static let fields = FuzzTarget(name: "fields") { bytes throws(BrokenClaim) in
        var input = InputLines(bytes)
        let lines = input.remaining()
        let fields = HTTPFields(lines)
        let plain = PlainFields(lines)
        try require(fields.count == plain.fields.count, "\(fields.count) fields, not \(plain.fields.count)")
        for name in Set(plain.fields.map(\.name)) {
            let values = plain.values(of: name).map { PlainFields.text($0) }
            let read = fields.values(of: name)
            try require(areSame(read, values), "\(name) is \(read), not \(values)")
            try require(areSame(fields.first(of: name.uppercased()).map { [$0] } ?? [], [values[0]]), "first \(name)")
            for member in fields.members(of: name) {
                try require(!member.isEmpty && !member.hasPrefix(" ") && !member.hasSuffix(" "), "a blank \(name)")
                try require(values.contains { $0.utf8.count >= member.utf8.count }, "a longer \(name)")
            }
        }
        try require(fields.first(of: "none-such\u{0}") == nil, "finds a field that does not exist")
        let length = ContentLength(fields)
        try require(length == plainLength(plain), "\(length) of \(plain.values(of: "content-length"))")
        if case .invalid(let text) = length { try require(text.count <= 40, "the text for a message is long") }
        try checkCodings(ResponseHead(status: 200, fields: fields))
    }

    private static func checkCodings(_ head: ResponseHead) throws(BrokenClaim) {
        try require(!head.isChunked || head.overridesContentLength, "chunked without a transfer coding")
        var framed = head
        framed.isMessageFramed = true
        try require(!framed.overridesContentLength && framed.showsItsEnd, "a framed message has a transfer coding")

        guard let encoding = head.contentEncoding else { return }
        try require(!encoding.isEmpty && encoding != "identity", "not an encoding: \(encoding)")
        // A coding is a token. With an open quote, two fields differ from the field that joins them. A carriage return
        // at its end would be the line's.
        if encoding.utf8.contains(where: { $0 == UInt8(ascii: "\"") || $0 == 0x0D }) { return }
        let again = ResponseHead(status: 200, fields: ["Content-Encoding": encoding]).contentEncoding
        try require(again == encoding, "\(encoding) is read back as \(again ?? "none")")
    }

    static func areSame(_ left: [String], _ right: [String]) -> Bool {
        left.elementsEqual(right) { $0.utf8.elementsEqual($1.utf8) }
    }

    private static func plainLength(_ fields: PlainFields) -> ContentLength {
        var length = ContentLength.absent
        for value in fields.values(of: "content-length") {
            for member in value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
                let digits = PlainFields.stripped(Array(member))
                guard digits.allSatisfy({ (0x30...0x39).contains($0) }),
                    let number = Int64(String(decoding: digits, as: UTF8.self))
                else { return .invalid(String(PlainFields.text(value).prefix(40))) }
                if length == .absent { length = .exact(number) }
                if length != .exact(number) { length = .conflicting }
            }
        }
        return length
    }
}
