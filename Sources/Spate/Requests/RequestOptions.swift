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
    @Rare var clientCertificate: ClientCertificate?
    var priority = Operation.QueuePriority.normal
    var expectedBytes: Int64?
    var maximumBytes: Int64?
    var givenChecksum: GivenChecksum?
    @Rare var metalink: Metalink.File?
    var usesServerMetalink = false
    var isChosenByDocument = false
    var mirrors: [URL] = []
    var connections: ConnectionCount?
    var maxBytesPerSecond: Int64?
    var timeLimit: Duration?
    var replacesExistingFile = false
    var checksForUpdate = false
    var asksOnly = false
    var repair: DownloadRequest.Repair?
    var skipsExistingFile = false
    var keepsServerTime: Bool?
    var allowsInsecureRedirects = false
}
