import Spate

/// One object of the JSON output. All keys are always there; `null` stands where nothing is known.
struct JSONLine {
    var event: String
    var url: String
    var state: String
    var received: Int64
    var total: Int64?
    var file: String?
    var error: String?

    init(event: String, url: String, state: String, progress: DownloadProgress) {
        self.event = event
        self.url = url
        self.state = state
        received = progress.receivedBytes
        total = progress.totalBytes
    }

    /// The object in one line, without the line break.
    ///
    /// Written by hand, for `JSONEncoder` orders keys by chance or by the alphabet and takes a hundred times as long.
    var text: String {
        var text = "{\"event\":"
        Self.append(event, to: &text)
        text += ",\"url\":"
        Self.append(url, to: &text)
        text += ",\"state\":"
        Self.append(state, to: &text)
        text += ",\"received\":\(received),\"total\":"
        text += total.map { "\($0)" } ?? "null"
        text += ",\"file\":"
        Self.append(file, to: &text)
        text += ",\"error\":"
        Self.append(error, to: &text)
        text += "}"
        return text
    }

    private static func append(_ string: String?, to text: inout String) {
        guard let string else {
            text += "null"
            return
        }
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\u{0}"..."\u{1F}", "\u{7F}", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
