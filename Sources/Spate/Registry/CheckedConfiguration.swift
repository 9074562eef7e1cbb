import Foundation

/// What all requests of a manager have in common, judged once for all of them.
struct CheckedConfiguration: Sendable {
    /// The path of its folder.
    let directory: Result<String, DownloadError>
    /// Why no request can be met: a header that is sent with each.
    let headerFault: DownloadError?

    /// What the life of each download begins with.
    let machine: DownloadMachine

    init(_ configuration: DownloadManager.Configuration) {
        machine = DownloadMachine(policy: configuration.retry)
        directory = Result { () throws(DownloadError) in try CheckedRequest.directory(configuration.directory) }
        do throws(DownloadError) {
            try CheckedRequest.check(headers: configuration.headers)
            headerFault = nil
        } catch {
            headerFault = error
        }
    }

    /// That of a manager which says nothing of its own.
    static let standard = CheckedConfiguration(DownloadManager.Configuration())
}
