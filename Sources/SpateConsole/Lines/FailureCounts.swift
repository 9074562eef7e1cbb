package import Spate

/// The failures of a run, by kind.
package struct FailureCounts: Equatable {
    package private(set) var count = 0
    private var kinds: [String: Int] = [:]
    /// How many have a file in their way. Another try as it is meets that again.
    private var obstructed = 0

    package init() {}

    package var isEmpty: Bool { count == 0 }

    package mutating func note(_ error: DownloadError) {
        note(error.kind)
        if error.code == .fileExists || error.code == .fileChanged { obstructed += 1 }
    }

    /// A line of a list that is not a URL.
    package mutating func noteInvalidLine() { note("invalid line") }

    private mutating func note(_ kind: String) {
        count += 1
        kinds[kind, default: 0] += 1
    }

    /// "4 failed (3 HTTP 404, 1 host not found): spate resume". The most frequent kind comes first.
    ///
    /// - Parameter cure: the command that tries them again. Left out if that helps none of them.
    package func text(cure: String?) -> String {
        let sorted = kinds.sorted { $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value }
        let list = sorted.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        let helps = count > obstructed
        return "\(count) failed (\(list))" + (cure.map { helps ? ": \($0)" : "" } ?? "")
    }
}

extension DownloadError {
    /// The kind, in a few words: for a count, or where there is little room.
    package var kind: String {
        switch code {
        case .httpStatus: statusCode.map { "HTTP \($0)" } ?? "HTTP status"
        case .proxy: statusCode.map { "proxy \($0)" } ?? kindInBrief
        case .incomplete: "incomplete"
        case .diskFull: "disk full"
        case .inUse: "in use"
        case .tooLarge: "too large"
        case .fileExists: "file exists"
        case .fileChanged: "file changed"
        case .folderMoved: "folder moved"
        case .fileSystem: "file system"
        case .prepare: "not prepared"
        case .conflict: "conflict"
        default: PlainText.oneLine(kindInBrief)
        }
    }
}
