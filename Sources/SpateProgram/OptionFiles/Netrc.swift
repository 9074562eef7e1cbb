import Foundation

/// The logins of a netrc file, read as curl reads it: `machine HOST login NAME password SECRET`, on one line or several,
/// and `default` for all other hosts. `account` and macros (`macdef`) are skipped. A word in quotation marks may contain
/// spaces, and `\"`, `\\`, `\n`, `\r` and `\t`. `#` at the start of a word begins a comment.
///
/// Like curl, it does not look at the file's permissions.
struct Netrc: Sendable {
    fileprivate struct Entry {
        /// In lower case. `nil` for all hosts.
        let host: String?
        var user: String?
        var password: String?
    }

    private let entries: [Entry]

    init(_ file: OptionFile) throws(UsageError) {
        var parser = NetrcParser()
        try file.forEachLine { (line) throws(UsageError) in try parser.read(line) }
        entries = parser.entries
    }

    /// The login of the first entry for a host.
    ///
    /// - Parameter user: the user in the URL, if any. Then only entries for this user count.
    func login(for host: String, user: String?) -> (user: String, password: String)? {
        let host = host.lowercased()
        let entry = entries.first { entry in
            (entry.host ?? host) == host && (user ?? entry.user ?? "") == (entry.user ?? user ?? "")
        }
        guard let entry, entry.user != nil || entry.password != nil else { return nil }
        return (entry.user ?? user ?? "", entry.password ?? "")
    }
}

/// Reads a netrc file line by line. An entry may span several lines.
private struct NetrcParser {
    private enum Expected { case host, user, password, nothing }

    private(set) var entries: [Netrc.Entry] = []
    /// The meaning of the next word; `nil` for a keyword.
    private var expected: Expected?
    private var isInMacro = false

    mutating func read(_ line: String) throws(UsageError) {
        var rest = line.unicodeScalars[...]
        // A blank line ends a macro.
        if isInMacro {
            isInMacro = rest.contains { !$0.properties.isWhitespace }
            return
        }
        while let word = try Self.word(&rest), !isInMacro { take(word) }
    }

    private mutating func take(_ word: String) {
        switch expected.take() {
        case .host: entries.append(Netrc.Entry(host: word.lowercased()))
        case .user: change { $0.user = word }
        case .password: change { $0.password = word }
        case .nothing: break
        case nil:
            switch word.lowercased() {
            case "machine": expected = .host
            case "default": entries.append(Netrc.Entry(host: nil))
            case "login": expected = .user
            case "password": expected = .password
            case "account": expected = .nothing
            case "macdef": isInMacro = true
            default: break
            }
        }
    }

    private mutating func change(_ body: (inout Netrc.Entry) -> Void) {
        if !entries.isEmpty { body(&entries[entries.count - 1]) }
    }

    /// Removes and returns the next word of a line; `nil` at the end or before a comment.
    private static func word(_ rest: inout Substring.UnicodeScalarView) throws(UsageError) -> String? {
        rest = rest.drop { $0.properties.isWhitespace }
        guard let first = rest.first, first != "#" else { return nil }
        guard first == "\"" else {
            let word = rest.prefix { !$0.properties.isWhitespace }
            rest = rest[word.endIndex...]
            return String(String.UnicodeScalarView(word))
        }
        rest.removeFirst()
        var word = String.UnicodeScalarView()
        while let scalar = rest.popFirst() {
            if scalar == "\"" { return String(word) }
            guard scalar == "\\", let escaped = rest.popFirst() else {
                word.append(scalar)
                continue
            }
            switch escaped {
            case "n": word.append("\n")
            case "r": word.append("\r")
            case "t": word.append("\t")
            default: word.append(escaped)
            }
        }
        throw UsageError(.netrcLine, "a quoted word has no closing quotation mark; add it")
    }
}
