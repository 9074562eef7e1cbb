import Spate

/// What is told when a signal ended the run: what is kept, and how to go on.
struct Farewell {
    struct Partial: Equatable {
        let name: String
        let received: Int64
        let total: Int64?
    }

    /// What is there in part of the downloads that were stopped.
    let kept: [Partial]
    /// Of how many nothing is there, as far as the list was read.
    let notBegun: Int
    /// Whether the list goes on where it was not read yet.
    var listGoesOn = false
    /// Whether a URL had a user or password, which are not stored: `resume` would ask without them.
    var hadCredentials = false
    let arguments: Arguments

    var lines: [String] {
        var lines: [String] = []
        if kept.isEmpty {
            lines.append("spate: stopped; nothing is there in part. To fetch the rest, run the same command again.")
            return lines
        }
        lines.append("spate: stopped; kept in part: \(Self.list(kept)).")
        if hadCredentials {
            lines.append("spate: to go on: run the same command again, for users and passwords in URLs are not stored")
            return lines
        }
        lines.append("spate: to go on: \(resumeCommand)\(needsHeaders ? ", with the same --header options" : "")")
        if notBegun > 0 || listGoesOn {
            let rest = listGoesOn ? "the rest of the list" : PlainText.count(notBegun, "more download")
            lines.append("spate: \(rest) had not begun: run the same command again for all")
        }
        return lines
    }

    private static func list(_ kept: [Partial]) -> String {
        var names = kept.prefix(5).map { "\($0.name) (\(DownloadFormat.amount($0.received, of: $0.total)))" }
        if kept.count > names.count { names.append("\(kept.count - names.count) more") }
        return names.joined(separator: ", ")
    }

    private var needsHeaders: Bool { !arguments.headers.isEmpty }

    /// The command without what may be secret.
    private var resumeCommand: String {
        var words = ["spate", "resume"]
        if let directory = arguments.directory { words += ["-d", directory] }
        if let authorities = arguments.authorities { words += ["--cacert", authorities] }
        if let maximumSize = arguments.maximumSize { words += ["--max-size", "\(maximumSize)"] }
        if arguments.overwrites { words.append("--overwrite") }
        return words.map(PlainText.shellWord).joined(separator: " ")
    }
}
