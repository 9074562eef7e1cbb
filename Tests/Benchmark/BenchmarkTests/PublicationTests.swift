import Foundation
import Testing

@testable import spate_benchmark

@Suite struct PublicationTests {
    private let clone: TemporaryFolder
    private let publication: Publication
    private let row = "| line-50-one: one file | | | |\n"

    /// A clone with a row on each page, and with figures of another scenario.
    init() throws {
        clone = try TemporaryFolder()
        publication = Publication(clone.path)
        for folder in ["Documentation", "Tests/Benchmark/Figures"] {
            try FileManager.default.createDirectory(atPath: clone.path(folder), withIntermediateDirectories: true)
        }
        for page in Publication.pages { try Data(row.utf8).write(to: clone.url(page)) }
        let downloads = FigureSample.result(["spate": [3], "curl": [6]], name: "large-tmpfs")
        try Figures(FigureSample.report([downloads])).json().write(to: publication.json)
    }

    @Test func figuresGoIntoThePagesAndBesideThoseOfOtherScenarios() throws {
        let line = FigureSample.result(["spate": [1], "curl -Z": [2]], name: "line-50-one")
        try publication.publish([FigureSample.report([line])])
        for page in Publication.pages {
            #expect(try publication.text(of: page) == "| line-50-one: one file | 1.00 s | 2.00 s | 0.50 |\n")
        }
        #expect(try Figures(path: publication.json.path).scenarios.map(\.name) == ["line-50-one", "large-tmpfs"])
        let chart = try String(contentsOf: publication.chart, encoding: .utf8)
        #expect(chart.contains("large-tmpfs") && !chart.contains("line-50-one"))
    }

    @Test func nothingIsPublishedWhereSomethingFailedOrIsMissing() throws {
        var failed = FigureSample.result(["spate": [1], "curl -Z": [2]], name: "line-50-one")
        failed.failures = ["wget2 failed"]
        let impossible = FigureSample.result([:], name: "line-50-one")
        let other = FigureSample.result(["spate": [1]], name: "line-50-one")
        for result in [failed, impossible, other] {
            #expect(throws: UsageError.self) { try publication.publish([FigureSample.report([result])]) }
            #expect(try publication.text(of: "README.md") == row)
            #expect(try Figures(path: publication.json.path).scenarios.map(\.name) == ["large-tmpfs"])
        }
    }
}
