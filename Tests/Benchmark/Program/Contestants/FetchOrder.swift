import Foundation
import TestSupport

/// What a program is to fetch, in the forms that programs read.
struct FetchOrder: Sendable {
    let atOnce: Int
    /// The connections for a file, where the program is told.
    let connections: Int?
    let names: [String]
    /// Where files go.
    let folder: String
    /// A file with a URL in each line.
    let list: String
    /// The same as a configuration of curl's, with a place for each file.
    let curlConfiguration: String
    /// The certificates to trust, where they matter.
    let authority: String?
    /// Whether to continue a partial file.
    let resumes: Bool

    /// - Parameter notes: the folder that the lists are written to.
    init(
        _ files: [(name: String, url: URL)],
        of scenario: Scenario,
        connections: Int? = nil,
        into folder: TemporaryFolder,
        notes: TemporaryFolder
    ) throws {
        atOnce = scenario.atOnce
        self.connections = connections
        names = files.map(\.name)
        self.folder = folder.path
        list = notes.path("urls")
        curlConfiguration = notes.path("curl")
        authority = scenario.isSecured ? try TestCertificates.authority.path : nil
        resumes = scenario.resumes
        let lines = files.map { $0.url.absoluteString + "\n" }
        try Data(lines.joined().utf8).write(to: notes.url("urls"))
        let places = files.map { "url = \"\($0.url.absoluteString)\"\noutput = \"\(folder.path($0.name))\"\n" }
        try Data(places.joined().utf8).write(to: notes.url("curl"))
    }
}
