import Foundation

/// A chart as SVG: text in the reader's own sans-serif, colours for light and for dark pages.
struct ChartDrawing {
    private static let width = 760.0
    private static let labelWidth = 140.0
    private static let valueWidth = 130.0
    private static let rowHeight = 20.0
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
    private var y = 8.0

    /// The whole document.
    static func svg(_ chart: Chart) -> String {
        var drawing = ChartDrawing()
        for group in chart.groups { drawing.draw(group) }
        drawing.draw(footnotes: chart.footnotes)
        let height = number(drawing.y + 8)
        let names = chart.groups.map(\.title).joined(separator: "; ")
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(number(width))" height="\(height)" \
            viewBox="0 0 \(number(width)) \(height)" role="img" aria-labelledby="title description">
            <title id="title">Spate and other downloaders</title>
            <desc id="description">\(escaped(names))</desc>
            <style>
            \(style)
            </style>
            \(drawing.elements.joined(separator: "\n"))
            </svg>

            """
    }

    private mutating func draw(_ group: Chart.Group) {
        y += 24
        let measure = "<tspan class=\"quiet\" font-weight=\"400\" dx=\"6\">(\(Self.escaped(group.measure)))</tspan>"
        elements.append(
            "<text class=\"title\" x=\"8\" y=\"\(Self.number(y))\">\(Self.escaped(group.title))\(measure)</text>"
        )
        y += 8
        let longest = group.bars.map(\.value).max() ?? 0
        for bar in group.bars { draw(bar, longest: longest) }
        y += 6
    }

    private mutating func draw(_ bar: Chart.Bar, longest: Double) {
        let space = Self.width - Self.labelWidth - Self.valueWidth
        let length = longest > 0 ? max(1, space * bar.value / longest) : 1
        let emphasis = bar.isOurs ? " strong" : ""
        let line = Self.number(y + 14)
        elements.append(
            "<text class=\"label\(emphasis)\" x=\"\(Self.number(Self.labelWidth - 8))\" y=\"\(line)\">"
                + "\(Self.escaped(bar.label))</text>"
        )
        elements.append(
            "<rect class=\"\(bar.isOurs ? "ours" : "peer")\" x=\"\(Self.number(Self.labelWidth))\" "
                + "y=\"\(Self.number(y + 3))\" width=\"\(Self.number(length))\" height=\"14\" rx=\"2\"/>"
        )
        elements.append(
            "<text class=\"value\(emphasis)\" x=\"\(Self.number(Self.labelWidth + length + 6))\" y=\"\(line)\">"
                + "\(Self.escaped(bar.text))</text>"
        )
        y += Self.rowHeight
    }

    private mutating func draw(footnotes: [String]) {
        y += 12
        for footnote in footnotes where !footnote.isEmpty {
            y += 16
            elements.append(
                "<text class=\"quiet\" x=\"8\" y=\"\(Self.number(y))\">\(Self.escaped(footnote))</text>"
            )
        }
    }

    private static func number(_ value: Double) -> String {
        let text = String(format: "%.1f", value)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    static func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "&", with: "&amp;")
            .replacingOccurrences(of: "<", with: "&lt;")
            .replacingOccurrences(of: ">", with: "&gt;")
            .replacingOccurrences(of: "\"", with: "&quot;")
    }
}
