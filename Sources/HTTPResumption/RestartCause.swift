/// Why the bytes on disk are dropped and the entity is fetched from zero.
package enum RestartCause: Hashable, Sendable, CaseIterable {
    /// 21: the answer starts elsewhere than was asked.
    case wrongStart
    /// 22: another size of the whole than the known one.
    case otherTotal
    /// 23: another validator than the one held.
    case otherEntity
    /// 24, 25: nothing proves that it is the same entity.
    case unprovenEntity
    /// 39, 42: the bytes fetched for comparison differ from those on disk.
    case overlapDiffers
    /// The answer ends before it reaches past what is held: asking again would bring the same.
    case overlapTooShort
    /// 28
    case missingRange
    /// 29
    case malformedRange
    /// 30
    case multipart
    /// 36: the entity is shorter than what is held.
    case remoteShorter
    /// 36: the entity is longer, and yet has nothing after what is held.
    case remoteLonger
    /// 37: nothing proves that all is here.
    case unprovenEnd
    /// 45
    case preconditionFailed
    /// 50
    case otherEncoding
    /// 42: the joined file has not the checksum that it should have.
    case otherChecksum
}

extension RestartCause: CustomStringConvertible {
    package var description: String {
        switch self {
        case .wrongStart: "the server sends another part of the file than was asked for"
        case .otherTotal: "the file's size has changed on the server"
        case .otherEntity: "the file has changed on the server"
        case .unprovenEntity: "the server does not show that the file is still the same"
        case .overlapDiffers: "the server's bytes differ from those that were downloaded"
        case .overlapTooShort: "the server sends too little at a time to go on"
        case .missingRange: "the server does not say which part of the file it sends"
        case .malformedRange: "the server names a part of the file that cannot be"
        case .multipart: "the server sends the file in several parts at once"
        case .remoteShorter: "the file on the server is shorter than what was downloaded"
        case .remoteLonger: "the server has more of the file but does not send it"
        case .unprovenEnd: "the server does not show that the file is complete"
        case .preconditionFailed: "the server refuses to go on with the file as it was"
        case .otherEncoding: "the server encodes the rest of the file in another way"
        case .otherChecksum: "the file's checksum is not the expected one"
        }
    }
}
