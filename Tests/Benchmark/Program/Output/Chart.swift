import Foundation

/// The figures as bars in SVG: text in the reader's own sans-serif, colours for light and for dark pages.
struct Chart {
    private typealias Bar = (label: String, value: Double, text: String)

    private static let (width, labelWidth, valueWidth) = (760.0, 140.0, 130.0)
    private static let style = """
        text { font: 12px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1f2328 }
        .title { font-weight: 600; font-size: 13px }
        .quiet { fill: #59636e }
        .label { text-anchor: end }
        .peer { fill: #afb8c1 }
        .ours { fill: #0969da }
        .strong { font-weight: 600 }
        @media (prefers-color-scheme: dark) {
          text { fill: #e6edf3 }
          .quiet { fill: #9198a1 }
          .peer { fill: #59636e }
          .ours { fill: #4493f8 }
        }
        """

    private var elements: [String] = []
    private var titles: [String] = []
    private var y = 8.0

    /// The whole document, of one run after another.
    static func svg(_ reports: [BenchmarkReport]) -> String {
        var chart = Chart()
        for report in reports { chart.draw(report) }
        let height = number(chart.y + 8)
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(number(width))" height="\(height)" \
            viewBox="0 0 \(number(width)) \(height)" role="img" aria-labelledby="title description">
            <title id="title">Spate and other downloaders</title>
            <desc id="description">\(escaped(chart.titles.joined(separator: "; ")))</desc>
            <style>
            \(style)
            </style>
            \(chart.elements.joined(separator: "\n"))
            </svg>

            """
    }

    private static func bars(of result: ScenarioResult) -> (measure: String, bars: [Bar]) {
        let rows = Comparison(result).rows
        switch result.measure {
        case .wall, .server:
            return ("wall time", rows.map { ($0.program, $0.wall.median, $0.wallText) })
        case .memory:
            return ("peak memory", rows.map { ($0.program, $0.peakBytes, QuantityText.bytes(Int($0.peakBytes))) })
        case .fetched:
            let bars = rows.compactMap { row in
                row.servedRatio.map { (row.program, $0, QuantityText.fineRatio($0)) }
            }
            return ("bytes fetched over the size", bars)
        case .queue:
            let bars = QueueSummary.all(of: result).map { queue in
                let seconds = (queue.enqueueSeconds + queue.cancelSeconds) / Double(queue.count)
                let text = "\((seconds * 1e7).rounded() / 10) µs, \(QuantityText.bytes(Int(queue.bytesEach)))"
                return (QuantityText.count(queue.count), seconds, text)
            }
            return ("time and memory for each", bars)
        }
    }

    private mutating func draw(_ report: BenchmarkReport) {
        for result in report.scenarios { draw(result) }
        draw(footnotes: [
            "Medians of \(report.rounds) rounds, \(report.date.prefix(10)); shorter is better in all.",
            report.machine.description,
            report.versions.sorted { $0.key < $1.key }.filter { $0.key != Contestant.baseline.rawValue }
                .map { "\($0) \(Self.number(in: $1))" }.joined(separator: ", "),
        ])
    }

    private mutating func draw(_ result: ScenarioResult) {
        let (measure, bars) = Self.bars(of: result)
        guard !bars.isEmpty else { return }
        titles.append("\(result.name): \(result.work)")
        y += 24
        let quiet = "<tspan class=\"quiet\" font-weight=\"400\" dx=\"6\">(\(measure))</tspan>"
        let title = Self.escaped("\(result.name): \(result.work)")
        elements.append("<text class=\"title\" x=\"8\" y=\"\(Self.number(y))\">\(title)\(quiet)</text>")
        y += 8
        let longest = bars.map(\.value).max() ?? 0
        for bar in bars {
            let isOurs = result.measure == .queue || Entry.isOurs(bar.label)
            draw(bar, share: longest > 0 ? bar.value / longest : 0, isOurs: isOurs)
        }
        y += 6
    }

    private mutating func draw(_ bar: Bar, share: Double, isOurs: Bool) {
        let length = max(1, (Self.width - Self.labelWidth - Self.valueWidth) * share)
        let strong = isOurs ? " strong" : ""
        let place = { (x: Double, y: Double) in "x=\"\(Self.number(x))\" y=\"\(Self.number(y))\"" }
        elements += [
            "<text class=\"label\(strong)\" \(place(Self.labelWidth - 8, y + 14))>\(bar.label)</text>",
            "<rect class=\"\(isOurs ? "ours" : "peer")\" \(place(Self.labelWidth, y + 3)) "
                + "width=\"\(Self.number(length))\" height=\"14\" rx=\"2\"/>",
            "<text class=\"value\(strong)\" \(place(Self.labelWidth + length + 6, y + 14))>\(bar.text)</text>",
        ]
        y += 20
    }

    private mutating func draw(footnotes: [String]) {
        y += 12
        for footnote in footnotes where !footnote.isEmpty {
            y += 16
            elements.append("<text class=\"quiet\" x=\"8\" y=\"\(Self.number(y))\">\(Self.escaped(footnote))</text>")
        }
    }

    /// The first word with a digit in front and a point in it: `1.36.0` of `aria2 version 1.36.0`.
    private static func number(in text: String) -> String {
        let words = text.split { " /,()".contains($0) }
        return words.first { $0.contains(".") && ($0.first?.isNumber ?? false) }.map(String.init) ?? ""
    }

    private static func number(_ value: Double) -> String {
        let text = String(format: "%.1f", value)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
