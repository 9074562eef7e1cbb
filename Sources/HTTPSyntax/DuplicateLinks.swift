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

    private var scanner: FieldScanner

    init(_ text: String) {
        scanner = FieldScanner(Array(text.utf8))
    }

    mutating func next() -> Link? {
        while scanner.skipBlanks() != nil, scanner.take(",") {}
        guard scanner.take("<"), let target = text(until: ">"), scanner.take(">") else { return nil }
        var link = Link(target: target)
        while scanner.skipBlanks() != nil, scanner.take(";") {
            _ = scanner.skipBlanks()
            guard let name = text(until: "=;, \t") else { return nil }
            _ = scanner.skipBlanks()
            guard scanner.take("=") else {
                link.add(name.lowercased(), "")
                continue
            }
            let isQuoted = scanner.skipBlanks() == UInt8(ascii: "\"")
            guard let value = isQuoted ? quoted() : text(until: ";, \t") else { return nil }
            link.add(name.lowercased(), value)
        }
        return scanner.peek == nil || scanner.peek == UInt8(ascii: ",") ? link : nil
    }

    /// The text before the first of these characters; all remaining text if there is none.
    private mutating func text(until ends: String) -> String? {
        String(validating: scanner.bytes { !ends.utf8.contains($0) }, as: UTF8.self)
    }

    private mutating func quoted() -> String? {
        scanner.quoted().flatMap { String(validating: $0, as: UTF8.self) }
    }
}
