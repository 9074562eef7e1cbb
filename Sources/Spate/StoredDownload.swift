public import Foundation
import SpateFilePaths
import SpateHTTPSyntax
import SpatePartialFiles

/// A finished, partial or changed file of one download, as found in a folder.
///
/// Encoded by the names of its properties. An unknown size is left out. ``isChosenByDocument`` and ``isChanged`` may be
/// missing.
public struct StoredDownload: Sendable, Hashable, Codable {
    /// The URL it was downloaded from, without user and password.
    public let url: URL
    /// The location of the finished file, whether it exists yet or not.
    public let file: URL
    /// The number of bytes on disk.
    public let receivedBytes: Int64
    /// The size of the complete file; `nil` if it is unknown. Of a changed file, the size that it was finished with.
    public let totalBytes: Int64?
    /// Whether the file is complete.
    public let isFinished: Bool
    /// Whether a download is writing to it now, in this process or another.
    public let isInUse: Bool
    /// Whether a document chose the URL: see ``DownloadRequest/isChosenByDocument``.
    public let isChosenByDocument: Bool
    /// Whether it was finished, and changed since: it has another size, or was written to. It is not ``isFinished``, and
    /// not partial either. Its URL is not downloaded again unless the request replaces or repairs it, and ``file`` is not
    /// deleted: see ``DownloadError/Code/fileChanged``.
    public let isChanged: Bool
    /// Whether it is unfinished.
    public var isPartial: Bool { !isFinished && !isChanged }

    /// Creates a stored download, for tests of code that lists them. By default it is partial.
    public init(
        url: URL,
        file: URL,
        receivedBytes: Int64,
        totalBytes: Int64? = nil,
        isFinished: Bool = false,
        isInUse: Bool = false,
        isChosenByDocument: Bool = false,
        isChanged: Bool = false
    ) {
        (self.url, self.file, self.receivedBytes, self.totalBytes) = (url, file, receivedBytes, totalBytes)
        (self.isFinished, self.isInUse) = (isFinished, isInUse)
        (self.isChosenByDocument, self.isChanged) = (isChosenByDocument, isChanged)
    }
}

extension StoredDownload {
    /// - Parameter name: the name that the file has when it is finished. `nil` if its URL cannot be read.
    init?(_ file: StoredFile, as name: FilePath) {
        guard let url = URL(string: file.origin.text) else { return nil }
        self.init(
            url: url,
            file: URL(fileURLWithPath: file.folder.appending(name).text, isDirectory: false),
            receivedBytes: file.size,
            totalBytes: file.total,
            isFinished: file.isFinished,
            isInUse: file.isInUse,
            isChosenByDocument: file.isOfDocument,
            isChanged: file.isChanged
        )
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            url: try values.decode(URL.self, forKey: .url),
            file: try values.decode(URL.self, forKey: .file),
            receivedBytes: try values.decode(Int64.self, forKey: .receivedBytes),
            totalBytes: try values.decodeIfPresent(Int64.self, forKey: .totalBytes),
            isFinished: try values.decode(Bool.self, forKey: .isFinished),
            isInUse: try values.decode(Bool.self, forKey: .isInUse),
            isChosenByDocument: try values.decodeIfPresent(Bool.self, forKey: .isChosenByDocument) ?? false,
            isChanged: try values.decodeIfPresent(Bool.self, forKey: .isChanged) ?? false
        )
    }
}
