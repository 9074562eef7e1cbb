import SpateFilePaths
import SpateHTTPResumption
import SpatePartialFiles

/// A note about a finished file: nothing failed, but the user may want to know.
public enum DownloadRemark: Sendable, Hashable, CustomStringConvertible {
    /// The server sent no length, so nothing proves that the file is complete.
    case lengthNotVerified
    /// The server sent the content encoded, for instance with `gzip`, although it was asked not to. The file holds the
    /// bytes as sent.
    case contentEncoding(String)
    /// The server sent a web page under another kind of name: perhaps a login page of the server or the network.
    case webPage
    /// The server does not support range requests, so an interrupted download starts from zero.
    case notResumable
    /// The Metalink that the server named was not used, for this reason: see ``DownloadRequest/usesServerMetalink``.
    case metalinkNotUsed(String)
    /// Another file had the name that this one would have had, so it has another name.
    case nameTaken(String)

    /// The remark in one or two sentences.
    public var description: String {
        switch self {
        case .lengthNotVerified:
            "The server sent no length, so the file may be incomplete. Give its size or SHA-256 to be sure."
        case .contentEncoding(let name):
            "The server sent the file encoded with \(name), and it is stored that way. It may need decoding before use."
        case .webPage:
            "The server sent a web page (text/html), though the name is not that of one. Check that it is the file."
        case .notResumable: "The server does not support resuming. An interrupted download starts from zero."
        case .nameTaken(let name): "The file has another name, because \(name) was taken by another file."
        case .metalinkNotUsed(let reason): "The Metalink that the server names is not used. \(reason.asSentence)"
        }
    }
}

extension DownloadRemark {
    /// The remarks about a file that ends with this body.
    ///
    /// - Parameter name: its final name, if it is a page.
    static func remarks(of body: AcceptedBody, named name: FilePath?) -> [DownloadRemark] {
        var remarks: [DownloadRemark] = []
        if body.isPage, let name, FileType(ofName: name) != .page { remarks.append(.webPage) }
        if !body.isLengthVerifiable { remarks.append(.lengthNotVerified) }
        if let encoding = body.encoding { remarks.append(.contentEncoding(encoding)) }
        if body.refusesRanges { remarks.append(.notResumable) }
        return remarks
    }
}
