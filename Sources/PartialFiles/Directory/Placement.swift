package import HTTPResumption

/// What a download finds in its folder.
package enum Placement: Sendable {
    /// It is there already, whole.
    case finished(FinishedFile)
    /// Where its bytes go, and those from earlier may be.
    case partial(FileLocation)
}

/// A file that Spate finished.
package struct FinishedFile: Hashable, Sendable {
    package let path: String
    package let name: String
    package let size: Int64
    /// Whether its record is in a file beside it.
    let hasSidecar: Bool
}

/// The names of one download in a folder.
package struct FileLocation: Sendable {
    package let origin: HTTPURL
    package let finalName: String
    package let partialName: String
    let folder: OpenFolder
    /// Whether the partial file was there when this was found out.
    let isPresent: Bool

    package var finalPath: String { folder.path(finalName) }
    package var partialPath: String { folder.path(partialName) }
}
