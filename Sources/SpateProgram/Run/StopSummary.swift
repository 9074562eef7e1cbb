import Spate

/// The lines that are printed after a signal has stopped the run: what was kept, and how to continue.
struct StopSummary {
    struct Partial: Equatable {
        let name: String
        let received: Int64
        let total: Int64?
    }

    /// The partial files of the stopped downloads.
    let kept: [Partial]
    /// How many downloads have no partial file, as far as the list was read.
    let notStarted: Int
    /// Whether the list was not read to its end.
    var listHasMore = false
    /// Whether a URL had a user or password. They are not stored, so `resume` can't continue it.
    var hadCredentials = false
    /// Whether a list gave a file its own folder, headers, mirrors or checksum. They are not stored either.
    var hadParticulars = false
    let arguments: Arguments

    var lines: [String] {
        guard !kept.isEmpty else {
            return ["spate: stopped; there are no partial files. To fetch the rest, run the same command again."]
        }
        let first = "spate: stopped; partial files kept: \(Self.list(kept))."
        if hadCredentials || hadParticulars || arguments.checksum != nil || !arguments.mirrors.isEmpty {
            let lost =
                if hadCredentials {
                    "users and passwords in URLs are"
                } else if hadParticulars {
                    "the list's checksums, mirrors, headers and folders are"
                } else if arguments.checksum == nil {
                    "mirrors are"
                } else {
                    "the checksum is"
                }
            return [first, "spate: to continue: run the same command again, because \(lost) not stored"]
        }
        let headers = arguments.headers.isEmpty ? "" : ", with the same --header options"
        var lines = [first, "spate: to continue: \(resumeCommand)\(headers)"]
        if notStarted > 0 || listHasMore {
            let rest = listHasMore ? "the rest of the list" : PlainText.count(notStarted, "more download")
            lines.append("spate: \(rest) had not started: to fetch all, run the same command again")
        }
        return lines
    }

    private static func list(_ kept: [Partial]) -> String {
        var names = kept.prefix(5).map { "\($0.name) (\(DownloadFormat.amount($0.received, of: $0.total)))" }
        if kept.count > names.count { names.append("\(kept.count - names.count) more") }
        return names.joined(separator: ", ")
    }

    /// The command without what may be secret.
    private var resumeCommand: String {
        var words = ["spate", "resume"]
        if let directory = arguments.directory { words += ["-d", directory] }
        if let authorities = arguments.authorities { words += ["--cacert", authorities] }
        if arguments.readsNetrc { words.append("--netrc") }
        if let netrc = arguments.netrc { words += ["--netrc-file", netrc] }
        if let cookies = arguments.cookies { words += ["--cookies", cookies] }
        if let maximumSize = arguments.maximumSize { words += ["--max-size", "\(maximumSize)"] }
        for list in arguments.checksumLists { words += ["--checksums", list] }
        if arguments.overwrites { words.append("--overwrite") }
        if arguments.keepsServerTime { words.append("--remote-time") }
        return words.map(PlainText.shellWord).joined(separator: " ")
    }
}
