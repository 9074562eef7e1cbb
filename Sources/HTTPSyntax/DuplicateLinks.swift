/// Other locations of the same file in a response (RFC 6249): `Link: <https://mirror/file>; rel=duplicate; pri=1`.
package enum DuplicateLinks {
    /// The most locations to use from one response.
    package static let most = 16

    /// The locations, in order of preference.
    ///
    /// - Parameters:
    ///   - url: the URL that sent the response.
    ///   - allowsInsecure: whether an https URL may name http ones.
    package static func urls(
        in fields: HTTPFields,
        from url: HTTPURL,
        allowsInsecure: Bool
    ) -> [HTTPURL] {
        // The common case.
        if !fields.contains("link") { return [] }
        var found: [(url: HTTPURL, rank: Int)] = []
        for value in fields.values(of: "link") {
            var scanner = LinkScanner(value)
            while let link = scanner.next() {
                guard link.isDuplicate, let target = try? url.resolving(link.target), target != url,
                    url.scheme == .http || target.scheme == .https || allowsInsecure,
                    !found.contains(where: { $0.url == target })
                else { continue }
                found.append((target, link.rank))
            }
        }
        let ranked = found.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
        return ranked.prefix(most).map(\.element.url)
    }
}

/// Reads the links of one field value (RFC 8288, section 3), up to the first that cannot be read.
private struct LinkScanner {
    struct Link {
        let target: String
        private var parameters: [String: String] = [:]

        init(target: String) {
            self.target = target
        }

        /// Of repeated parameters, the first counts.
        mutating func add(_ name: String, _ value: String) {
            if parameters[name] == nil { parameters[name] = value }
        }

        /// A link with an anchor describes another resource.
        var isDuplicate: Bool {
            parameters["anchor"] == nil
                && parameters["rel"]?.lowercased().split(separator: " ").contains("duplicate") ?? false
        }

        /// The lowest rank is preferred. Links without `pri` come last.
        var rank: Int {
            parameters["pri"].flatMap { Int($0) }.flatMap { (1...999_999).contains($0) ? $0 : nil } ?? 1_000_000
        }
    }

    private let bytes: [UInt8]
    private var index = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    mutating func next() -> Link? {
        while skipSpaces() == UInt8(ascii: ",") { index += 1 }
        guard take("<"), let target = text(until: [UInt8(ascii: ">")]), take(">") else { return nil }
        var link = Link(target: target)
        while skipSpaces() == UInt8(ascii: ";") {
            index += 1
            _ = skipSpaces()
            guard let name = text(until: Array("=;, \t".utf8)) else { return nil }
            _ = skipSpaces()
            guard take("=") else {
                link.add(name.lowercased(), "")
                continue
            }
            _ = skipSpaces()
            guard let value = peek == UInt8(ascii: "\"") ? quoted() : text(until: Array(";, \t".utf8)) else {
                return nil
            }
            link.add(name.lowercased(), value)
        }
        return peek == nil || peek == UInt8(ascii: ",") ? link : nil
    }

    private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    /// Skips spaces, and returns the next byte.
    private mutating func skipSpaces() -> UInt8? {
        while let byte = peek, byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") { index += 1 }
        return peek
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    /// The text before the first of these bytes; all remaining text if there is none.
    private mutating func text(until ends: [UInt8]) -> String? {
        let start = index
        while let byte = peek, !ends.contains(byte) { index += 1 }
        return String(validating: bytes[start..<index], as: UTF8.self)
    }

    private mutating func quoted() -> String? {
        index += 1
        var value: [UInt8] = []
        while var byte = peek {
            index += 1
            if byte == UInt8(ascii: "\"") { return String(validating: value, as: UTF8.self) }
            if byte == UInt8(ascii: "\\"), let escaped = peek {
                byte = escaped
                index += 1
            }
            value.append(byte)
        }
        return nil
    }
}
