import Foundation

/// What a program is to fetch, in the forms that programs read.
struct FetchOrder: Sendable {
    let atOnce: Int
    let webProtocol: Scenario.WebProtocol
    /// The connections for a file, where the program is told.
    let connections: Int?
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

    /// - Parameters:
    ///   - authority: the certificate to trust, where that matters.
    ///   - notes: the folder that the lists are written to.
    init(
        _ files: [(name: String, url: String)],
        of scenario: Scenario,
        authority: String?,
        connections: Int?,
        into folder: TemporaryFolder,
        notes: TemporaryFolder
    ) throws {
        (atOnce, webProtocol) = (scenario.atOnce, scenario.webProtocol)
        self.connections = connections
        self.folder = folder.path
        list = notes.path("urls")
        curlConfiguration = notes.path("curl")
        self.authority = authority
        resumes = scenario.resumes
        try Data(files.map { $0.url + "\n" }.joined().utf8).write(to: notes.url("urls"))
        let places = files.map { "url = \"\($0.url)\"\noutput = \"\(folder.path($0.name))\"\n" }
        try Data(places.joined().utf8).write(to: notes.url("curl"))
    }
}
