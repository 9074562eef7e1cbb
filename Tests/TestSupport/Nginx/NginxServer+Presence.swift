import Foundation

extension NginxServer {
    /// Whether the program is there. Where it is and fails, so do the tests.
    package static let isPossible = program != nil && TestCertificates.isPossible
    package static let requirement = "nginx or openssl is not installed: the tests with a real server are left out"

    static let program = InstalledProgram.path("nginx")
}

/// An nginx that refused its configuration.
struct NginxFailure: Error {
    let errors: String
}

extension String {
    func occurrences(of text: String) -> Int {
        components(separatedBy: text).count - 1
    }
}
