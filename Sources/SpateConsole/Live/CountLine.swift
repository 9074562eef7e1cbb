/// The last line: how many files run, wait or have failed, what has changed, and how to see the keys. It leaves
/// out what is zero, and in a narrow terminal what matters least.
struct CountLine {
    private struct Part {
        let text: String
        var paint: Paint?
        /// The lowest goes first.
        let worth: Int
    }

    private var parts: [Part] = []

    init(_ model: LiveModel) {
        if model.hasTotal {
            add(model.running, "running", worth: 0)
            let more = model.listHasMore ? "+" : ""
            if model.waiting > 0 || model.listHasMore { add("\(model.waiting)\(more) waiting", worth: 1) }
            add(model.retrying, "to retry", .waiting, worth: 3)
            add(model.paused, "paused", .waiting, worth: 2)
            add(model.failed, "failed", .failed, worth: 7)
            if model.showsJobs { add("\(model.jobs) at once", worth: 5) }
        }
        if let limit = model.rateLimit { add("limit \(ShortText.speed(Double(limit)))", worth: 6) }
        if model.hasKeys { add("? for keys", .background, worth: 4) }
    }

    private mutating func add(_ count: Int, _ word: String, _ paint: Paint? = nil, worth: Int) {
        if count > 0 { add("\(count) \(word)", paint, worth: worth) }
    }

    private mutating func add(_ text: String, _ paint: Paint? = nil, worth: Int) {
        parts.append(Part(text: text, paint: paint, worth: worth))
    }

    /// `nil` if there is nothing to say.
    func text(in width: Int, _ style: DrawingStyle) -> ScreenLine? {
        var parts = parts
        let columns = { ColumnLayout.marker + parts.reduce(-2) { $0 + $1.text.utf8.count + 2 } }
        while !parts.isEmpty, columns() > width {
            let least = parts.map(\.worth).min()
            parts.removeAll { $0.worth == least }
        }
        if parts.isEmpty { return nil }
        let text = parts.map { style.paint($0.text, $0.paint) }.joined(separator: ", ")
        return ScreenLine(text: "  " + text, columns: columns())
    }
}
