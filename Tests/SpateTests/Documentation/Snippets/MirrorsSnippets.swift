import Foundation
import Spate

private func naming(_ url: URL, _ mirror: URL, _ otherMirror: URL, _ manager: DownloadManager) throws {
    // snippet
    var request = DownloadRequest(url)
    request.mirrors = [mirror, otherMirror]  // in order of preference
    request.checksum = try Checksum("sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae")
    manager.download(request)
    // end
}

private func reading(_ document: URL, _ manager: DownloadManager) throws {
    // snippet
    let metalink = try Metalink(Data(contentsOf: document))
    manager.download(metalink.files.compactMap { manager.request(for: $0) })
    // end
}

private func repairing(_ metalink: Metalink, _ oldVersion: URL, _ manager: DownloadManager) {
    // snippet
    for request in metalink.files.compactMap({ manager.request(for: $0) }) {
        manager.repair(request, from: oldVersion)  // another file with right pieces; may be left out
    }
    // end
}

private func asking(_ url: URL, _ manager: DownloadManager) {
    // snippet
    var request = DownloadRequest(url)
    request.usesServerMetalink = true
    manager.download(request)
    // end
}
