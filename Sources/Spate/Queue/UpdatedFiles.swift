import SpateFilePaths
import SpateHTTPSyntax
import SpatePartialFiles

/// The finished and changed files of a folder that have a partial file beside them: an unfinished update or replacement.
struct UpdatedFiles {
    private struct Place: Hashable {
        let origin: String
        let folder: FilePath
    }

    private var files: [Place: [StoredFile]] = [:]

    /// - Parameter stored: all files of the folder.
    init(_ stored: [StoredFile]) {
        let begun = Set(stored.filter(\.isPartial).map(Self.place))
        if begun.isEmpty { return }
        for file in stored where !file.isPartial && begun.contains(Self.place(of: file)) {
            files[Self.place(of: file), default: []].append(file)
        }
    }

    private static func place(of file: StoredFile) -> Place { Place(origin: file.origin.text, folder: file.folder) }

    /// The file that a partial file is a new version of; `nil` if there is none. Unless a request chose the
    /// name, a new version keeps it, whatever its response says.
    func file(of partial: StoredFile) -> StoredFile? {
        let finished = files[Self.place(of: partial)] ?? []
        if let same = finished.first(where: { $0.finalName == partial.finalName }) { return same }
        return finished.first { $0.hasStatedName && $0.claim.overlaps(partial.claim) }
            ?? finished.first { $0.claim.overlaps(partial.claim) }
    }
}
