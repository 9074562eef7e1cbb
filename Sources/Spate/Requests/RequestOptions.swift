import Foundation
import SpateFilePaths

/// What a request says besides its URL. See the properties of ``DownloadRequest``.
struct RequestOptions: Sendable, Hashable {
    var fileName: FilePath?
    var relativePath: FilePath?
    var naming = DownloadNaming.url
    var directory: URL?
    var placement = DownloadPlacement.folder
    var headers: [String: String] = [:]
    var privateHeaders: Set<String> = []
    var givenCertificate: GivenCertificate?
    var priority = Operation.QueuePriority.normal
    var expectedBytes: Int64?
    var maximumBytes: Int64?
    var givenChecksum: GivenChecksum?
    // Elsewhere in memory: most requests have none.
    var givenMetalink: GivenMetalink?
    var usesServerMetalink = false
    var isChosenByDocument = false
    var mirrors: [URL] = []
    var connections: ConnectionCount?
    var maxBytesPerSecond: Int64?
    var replacesExistingFile = false
    var checksForUpdate = false
    var asksOnly = false
    var repair: DownloadRequest.Repair?
    var skipsExistingFile = false
    var keepsServerTime: Bool?
    var allowsInsecureRedirects = false
}
