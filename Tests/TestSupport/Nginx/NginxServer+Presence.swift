import Foundation

extension NginxServer {
    /// Whether the program is there. Where it is and fails, so do the tests.
    package static let isPossible = program != nil && TestCertificates.isPossible
    package static let requirement = "nginx or openssl is not installed: the tests with a real server are left out"

    /// Where the program is; the folders of administrators' programs are in no user's PATH.
    static let program: String? = {
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "") + ":/usr/sbin:/usr/local/sbin"
        return path.split(separator: ":").map { "\($0)/nginx" }.first { access($0, X_OK) == 0 }
    }()
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
