import Foundation
import FoundationXML
import Testing

@testable import spate_benchmark

@Suite struct ChartTests {
    private let chart = Chart(
        groups: [
            .init(
                title: "one <&> \"two\"",
                measure: "wall time",
                bars: [
                    .init(label: "spate", value: 1, text: "1 s", isOurs: true),
                    .init(label: "peer", value: 2, text: "2 s", isOurs: false),
                    .init(label: "nothing", value: 0, text: "0 s", isOurs: false),
                ]
            )
        ],
        footnotes: ["a & b"]
    )

    @Test func theDrawingIsWellFormedAndSaysEverything() throws {
        let reader = TextReader()
        #expect(reader.read(ChartDrawing.svg(chart)))
        for text in ["one <&> \"two\"", "wall time", "spate", "1 s", "peer", "2 s", "a & b"] {
            #expect(reader.text.contains(text), "\(text) in \(reader.text)")
        }
    }

    @Test func barsAreAsLongAsWhatTheyStandFor() throws {
        let reader = TextReader()
        #expect(reader.read(ChartDrawing.svg(chart)))
        #expect(reader.widths.count == 3)
        let (ours, peer) = (try #require(reader.widths.first), try #require(reader.widths.dropFirst().first))
        #expect(abs(peer - 2 * ours) < 0.2 && reader.widths.last == 1)
    }

    @Test func nothingInItComesFromElsewhere() {
        let svg = ChartDrawing.svg(chart)
        #expect(!svg.contains("href") && !svg.contains("url(") && !svg.contains("@import"))
        #expect(svg.contains("prefers-color-scheme: dark"))
    }

    @Test(arguments: [
        ("aria2 version 1.36.0", "1.36.0"), ("GNU Wget2 1.99.1 - multithreaded metalink", "1.99.1"),
        ("curl 7.88.1 (x86_64-pc-linux-gnu) libcurl/7.88.1", "7.88.1"), ("nginx version: nginx/1.22.1", "1.22.1"),
        ("of this package", ""),
    ])
    func aVersionIsTakenOutOfAProgramsWords(words: String, version: String) {
        #expect(Chart.number(in: words) == version)
    }
}

/// The words of a document, and how wide its bars are.
private final class TextReader: NSObject, XMLParserDelegate {
    private(set) var text = ""
    private(set) var widths: [Double] = []

    func read(_ document: String) -> Bool {
        let parser = XMLParser(data: Data(document.utf8))
        parser.delegate = self
        return parser.parse()
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        text += string
    }

    func parser(
        _ parser: XMLParser,
        didStartElement name: String,
        namespaceURI: String?,
        qualifiedName: String?,
        attributes: [String: String]
    ) {
        if name == "rect" { widths.append(Double(attributes["width"] ?? "") ?? -1) }
    }
}
