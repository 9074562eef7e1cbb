import SpateHTTPSyntax

/// Why the bytes on disk are dropped and the entity is fetched again from zero.
package enum RestartCause: Hashable, Sendable, CaseIterable {
    /// A 206 must start where we asked.
    case wrongStart
    /// The total differs from the known one.
    case otherTotal
    /// The validator differs from the held one.
    case otherEntity
    /// Nothing proves that the entity is the same.
    case unprovenEntity
    /// The overlap differs from the bytes on disk.
    case overlapDiffers
    /// The response ends within the overlap. Another request would end there, too.
    case overlapTooShort
    /// A 206 without a Content-Range.
    case missingRange
    /// A 206 with an invalid Content-Range, or several that differ.
    case malformedRange
    /// A `multipart/byteranges` response.
    case multipart
    /// A 416 states a total below the length of the held bytes.
    case remoteShorter
    /// A 416 states a total above the length of the held bytes.
    case remoteLonger
    /// Nothing proves that the held bytes are the whole file.
    case unprovenEnd
    /// A 412.
    case preconditionFailed
    /// A 304, although the request had no condition that leads to one.
    case notModified
    /// The Content-Encoding differs from that of the held bytes.
    case otherEncoding
    /// Under the same validator, the response states another digest of the whole file.
    case otherDigest
    /// The checksum of the resumed file is wrong.
    case otherChecksum
}

extension RestartCause: CustomStringConvertible {
    package var description: String {
        switch self {
        case .wrongStart: "the server sent another part of the file than requested"
        case .otherTotal: "the file's size changed on the server"
        case .otherEntity: "the file changed on the server"
        case .unprovenEntity: "the server did not confirm that the file is unchanged"
        case .overlapDiffers: "the server's bytes differ from those already downloaded"
        case .overlapTooShort: "the server sent too few bytes to resume the file"
        case .missingRange: "the server sent a part of the file without a Content-Range"
        case .malformedRange: "the server sent a part of the file with an invalid Content-Range"
        case .multipart: "the server sent several parts of the file in one response"
        case .remoteShorter: "the file on the server is shorter than the downloaded part"
        case .remoteLonger: "the server refused to send the rest of the file"
        case .unprovenEnd: "the server did not confirm that the file is complete"
        case .preconditionFailed: "the server refused to resume the file"
        case .notModified: "the server answered that the file is unchanged, and did not send the rest of it"
        case .otherEncoding: "the server sent the rest of the file in another encoding"
        case .otherDigest: "the server stated two different digests of the file"
        case .otherChecksum: "the file's checksum is not the expected one"
        }
    }
}
