/// Why a download failed, in a journal.
package struct JournalFailure: Hashable, Sendable {
    /// The kind of failure. Never empty.
    package let code: String
    /// Sentences for people. May have been cut.
    package let message: String
    /// The HTTP status that caused the failure.
    package let status: Int?
    package let isRetryable: Bool
    package let keptPartialFile: Bool

    // A server may cause a long message, and a long list may fail as a whole.
    package static let longestMessage = 1_000
    private static let longestCode = 100

    /// - Returns: `nil` if the code is empty. Cuts long texts.
    package init?(
        code: String,
        message: String,
        status: Int? = nil,
        isRetryable: Bool = false,
        keptPartialFile: Bool = false
    ) {
        if code.isEmpty { return nil }
        self.code = Self.cut(code, to: Self.longestCode)
        self.message = Self.cut(message, to: Self.longestMessage)
        (self.status, self.isRetryable, self.keptPartialFile) = (status, isRetryable, keptPartialFile)
    }

    /// A text of at most this many bytes.
    private static func cut(_ text: String, to longest: Int) -> String {
        guard text.utf8.count > longest else { return text }
        let dots = "…"
        var end = text.utf8.index(text.startIndex, offsetBy: longest - dots.utf8.count)
        while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
        return String(text[..<end]) + dots
    }
}

extension JournalFailure {
    /// Adds its fields to those of the request. Fields with their default are not written.
    func write(to entry: inout JournalEntry) {
        entry["code"] = code
        if !message.isEmpty { entry["message"] = message }
        if let status { entry["status"] = String(status) }
        if isRetryable { entry["retry"] = "1" }
        if keptPartialFile { entry["part"] = "1" }
    }

    /// Takes its fields out of those of a record; `nil` if there is no code.
    init?(takenFrom entry: inout JournalEntry) {
        func take(_ name: String) -> String? {
            defer { entry[name] = nil }
            return entry[name]
        }
        self.init(
            code: take("code") ?? "",
            message: take("message") ?? "",
            status: take("status").flatMap { Int($0) },
            isRetryable: take("retry") == "1",
            keptPartialFile: take("part") == "1"
        )
    }
}
