import Foundation

/// The name of a file, or a path with its name last, as typed.
struct OutputPath: Hashable, Sendable {
    let text: String

    /// Without folders.
    var name: String {
        text.lastIndex(of: "/").map { String(text[text.index(after: $0)...]) } ?? text
    }

    /// The folder of the path, as an absolute URL. `nil` for a name alone.
    ///
    /// - Parameter start: where a relative path begins, as an absolute URL.
    func folder(in start: URL) -> URL? {
        guard let slash = text.lastIndex(of: "/") else { return nil }
        let isAbsolute = text.hasPrefix("/")
        let parts = text[..<slash].split(separator: "/").filter { $0 != "." }
        // `./name` is in that folder itself.
        guard isAbsolute || !parts.isEmpty else { return nil }
        let first = isAbsolute ? URL(fileURLWithPath: "/", isDirectory: true) : start
        return parts.isEmpty ? first : first.appendingPathComponent(parts.joined(separator: "/"), isDirectory: true)
    }
}
