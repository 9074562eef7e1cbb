package import SpateHTTPSyntax

/// A URL of a file.
package struct MetalinkMirror: Hashable, Sendable {
    package static let priorities = 1...999_999

    package let url: HTTPURL
    /// 1 for the best. Mirrors without a priority have the last.
    package let priority: Int
    /// Two letters in lower case (ISO 3166-1), such as `de`.
    package let location: String?

    init(url: HTTPURL, priority: Int?, location: String?) {
        self.url = url
        self.priority = priority.flatMap { Self.priorities.contains($0) ? $0 : nil } ?? Self.priorities.upperBound
        let letters = location?.lowercased().utf8 ?? "".utf8
        let isCode = letters.count == 2 && letters.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
        self.location = isCode ? String(letters) : nil
    }

    /// The priority for a preference of Metalink 3, which is 100 for the best.
    static func priority(ofPreference preference: Int) -> Int? {
        (0...100).contains(preference) ? 101 - preference : nil
    }

    /// The best first; with equal priority in the order of the document. Of equal URLs only the best is kept.
    static func ranked(_ mirrors: [MetalinkMirror]) -> [MetalinkMirror] {
        var known: Set<HTTPURL> = []
        return mirrors.enumerated()
            .sorted { ($0.element.priority, $0.offset) < ($1.element.priority, $1.offset) }
            .map(\.element)
            .filter { known.insert($0.url).inserted }
    }
}
