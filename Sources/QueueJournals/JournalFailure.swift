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
    /// The names of the fields. Fields with their default are not written.
    enum Field: String {
        case code, message, status
        case retryable = "retry"
        case part
    }

    /// Collects the fields of a record.
    struct Fields {
        private var values: [Field: String] = [:]

        /// Skips unknown fields. Of a repeated field the last counts.
        mutating func note(_ name: String, _ value: String) {
            if let field = Field(rawValue: name) { values[field] = value }
        }

        /// `nil` if there is no code.
        var failure: JournalFailure? {
            JournalFailure(
                code: values[.code] ?? "",
                message: values[.message] ?? "",
                status: values[.status].flatMap { Int($0) },
                isRetryable: values[.retryable] == "1",
                keptPartialFile: values[.part] == "1"
            )
        }
    }

    func forEachField(_ body: (Field, String) -> Void) {
        body(.code, code)
        if !message.isEmpty { body(.message, message) }
        if let status { body(.status, String(status)) }
        if isRetryable { body(.retryable, "1") }
        if keptPartialFile { body(.part, "1") }
    }
}
