/// A capture as SVG: a dark window with a title, in which text stays text and every word has its place and its width,
/// whatever the font of the reader makes of it.
struct PictureDrawing {
    private static let (cellWidth, cellHeight, fontSize) = (8.43, 19.0, 14.0)
    private static let (margin, barHeight) = (16.0, 34.0)
    private static let (text, paper) = ("#e6edf3", "#0d1117")
    private static let fonts = """
        ui-monospace, SFMono-Regular, 'DejaVu Sans Mono', Menlo, Consolas, 'Liberation Mono', monospace
        """

    /// The whole document.
    ///
    /// - Parameters:
    ///   - columns: how many the window shows; what the capture takes, if that is more.
    ///   - description: for people who don't see it.
    static func svg(_ capture: TerminalCapture, columns: Int, title: String, description: String) -> String {
        let exactWidth = (Double(max(columns, capture.columns)) * cellWidth + 2 * margin).rounded(.up)
        let width = number(exactWidth)
        let height = number(barHeight + Double(capture.lines.count) * cellHeight + 1.5 * margin)
        let runs = capture.lines.enumerated().flatMap { row, runs in runs.flatMap { elements(of: $0, row: row) } }
        let lights = ["#ff5f57", "#febc2e", "#28c840"].enumerated().map { index, colour in
            "<circle cx=\"\(20 + 20 * index)\" cy=\"17\" r=\"6\" fill=\"\(colour)\"/>"
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
            viewBox="0 0 \(width) \(height)" role="img" aria-labelledby="title description">
            <title id="title">\(escaped(title))</title>
            <desc id="description">\(escaped(description))</desc>
            <rect width="100%" height="100%" rx="10" fill="\(paper)"/>
            <path d="M0 \(number(barHeight))V10a10 10 0 0 1 10-10H\(number(exactWidth - 10))a10 10 0 0 1 10 10\
            V\(number(barHeight))z" fill="#21262d"/>
            \(lights.joined())
            <g font-family="\(fonts)" font-size="\(number(fontSize))" fill="\(text)">
            <text x="50%" y="22" text-anchor="middle" fill="#8b949e">\(escaped(title))</text>
            \(runs.joined(separator: "\n"))
            </g>
            </svg>

            """
    }

    private static func elements(of run: StyledRun, row: Int) -> [String] {
        let style = run.style
        var (ink, ground) = (style.foreground?.text ?? text, style.background?.text)
        if style.isReversed { (ink, ground) = (ground ?? paper, ink) }
        let top = barHeight + margin / 2 + Double(row) * cellHeight
        var elements: [String] = []
        if let ground {
            elements.append(
                "<rect x=\"\(x(run.column))\" y=\"\(number(top))\" width=\"\(number(Double(run.columns) * cellWidth))\" "
                    + "height=\"\(number(cellHeight))\" fill=\"\(ground)\"/>"
            )
        }
        var attributes = ink == text ? "" : " fill=\"\(ink)\""
        if style.isBold { attributes += " font-weight=\"bold\"" }
        if style.isDim { attributes += " opacity=\"0.65\"" }
        if style.isItalic { attributes += " font-style=\"italic\"" }
        if style.isUnderlined { attributes += " text-decoration=\"underline\"" }
        let line = number(top + cellHeight * 0.72)
        return elements
            + run.words.map { word in
                let length = number(Double(word.columns) * cellWidth)
                return "<text x=\"\(x(word.column))\" y=\"\(line)\" textLength=\"\(length)\" "
                    + "lengthAdjust=\"spacingAndGlyphs\"\(attributes)>\(escaped(word.text))</text>"
            }
    }

    private static func x(_ column: Int) -> String { number(margin + Double(column) * cellWidth) }

    /// At most two digits after the point.
    private static func number(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        let (whole, rest) = (hundredths / 100, hundredths % 100)
        guard rest != 0 else { return "\(whole)" }
        return rest % 10 == 0 ? "\(whole).\(rest / 10)" : "\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
