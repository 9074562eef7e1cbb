/// The links of a response that are about its file (RFC 6249).
package enum FileLinks {
    /// The most duplicates to use from one response.
    package static let most = 16

    /// Other locations of the same file, in order of preference: `Link: <https://mirror/file>; rel=duplicate; pri=1`.
    ///
    /// - Parameters:
    ///   - url: the URL that sent the response.
    ///   - allowsInsecure: whether an https URL may name http ones.
    package static func duplicates(
        in fields: HTTPFields,
        from url: HTTPURL,
        allowsInsecure: Bool
    ) -> [HTTPURL] {
        let found = links("duplicate", in: fields, from: url, allowsInsecure)
        let ranked = found.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
        return ranked.prefix(most).map(\.element.target)
    }

    /// The Metalink that describes the file: `Link: <https://host/file.meta4>; rel=describedby;
    /// type="application/metalink4+xml"`. The first of version 4, otherwise the first of version 3.
    ///
    /// - Parameters:
    ///   - url: the URL that sent the response.
    ///   - allowsInsecure: whether an https URL may name an http one.
    package static func metalink(
        in fields: HTTPFields,
        from url: HTTPURL,
        allowsInsecure: Bool
    ) -> HTTPURL? {
        let found = links("describedby", in: fields, from: url, allowsInsecure)
        return ["application/metalink4+xml", "application/metalink+xml"].lazy
            .compactMap { type in found.first { $0.mediaType == type } }.first?.target
    }

    private typealias FoundLink = (target: HTTPURL, rank: Int, mediaType: String?)

    /// The links with a relation. Of several with one target the first counts.
    private static func links(
        _ relation: String,
        in fields: HTTPFields,
        from url: HTTPURL,
        _ allowsInsecure: Bool
    ) -> [FoundLink] {
        var found: [FoundLink] = []
        for value in fields.values(of: "link") {
            var scanner = LinkScanner(value)
            while let link = scanner.next() {
                guard link.has(relation), let target = try? url.resolving(link.target), target != url,
                    url.scheme == .http || target.scheme == .https || allowsInsecure,
                    !found.contains(where: { $0.target == target })
                else { continue }
                found.append((target, link.rank, link.mediaType))
            }
        }
        return found
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

        /// Whether it has this relation to the response. A link with an anchor is about another resource.
        func has(_ relation: String) -> Bool {
            parameters["anchor"] == nil
                && parameters["rel"]?.lowercased().split(separator: " ").contains { $0 == relation } ?? false
        }

        /// The type of its target, without parameters.
        var mediaType: String? {
            parameters["type"]?.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
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
