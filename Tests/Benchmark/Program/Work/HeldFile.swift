import Foundation
import TestSupport

/// The file of a scenario that this program serves itself.
struct HeldFile: Sendable {
    let name: String
    let file: TestFile

    init(of scenario: Scenario) {
        name = "\(scenario.name).bin"
        let bytes = TestBytes.random(count: scenario.fileBytes)
        file = TestFile(bytes, etag: "\"as-it-is\"", lastModified: Date(timeIntervalSince1970: 1_700_000_000))
    }

    /// Throws if it is not there whole and right.
    func check(in folder: TemporaryFolder) throws {
        guard let found = try? Data(contentsOf: folder.url(name), options: .alwaysMapped) else {
            throw WorkFailure("\(name) is not there")
        }
        if let difference = TestBytes.difference(found, from: file.bytes) {
            throw WorkFailure("\(name) is \(difference)")
        }
    }
}
