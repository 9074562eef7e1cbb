import Foundation
import Spate

private func checking(_ url: URL) throws {
    // snippet
    var request = DownloadRequest(url)
    request.checksum = try Checksum("sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae")
    // end
    print(request)
}

private func verifying(_ manager: DownloadManager) async {
    // snippet
    for await (file, result) in manager.verify() {
        if let repair = result.repair {
            manager.download(repair)
        } else if let error = result.error {
            print("\(file.path): \(error.message)")
        }
    }
    // end
}

private func asking(_ manager: DownloadManager) async {
    // snippet
    var options = VerificationOptions()
    options.onlineRequest = { DownloadRequest($0) }
    for await (_, result) in manager.verify(options) where result.state == .outdated {
        if let repair = result.repair { manager.download(repair) }
    }
    // end
}
