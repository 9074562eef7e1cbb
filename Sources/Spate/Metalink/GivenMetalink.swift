/// A request's file of a Metalink.
indirect enum GivenMetalink: Sendable, Hashable {
    case file(Metalink.File)

    var file: Metalink.File {
        switch self {
        case .file(let file): file
        }
    }
}
