import Glibc
package import HTTPResumption

extension DownloadDirectory {
    /// The place of a download of which nothing is here, told by looking at every name that it could have but that of
    /// the partial file: to make it will tell. nil where any of them is something's, be it whose it may.
    func emptyPlace(for origin: HTTPURL, naming: FileNaming) throws(FileSystemError) -> FileLocation? {
        let folder = try folder()
        var names = naming.candidates(for: origin)
        guard let name = names.next(), folder.isNothing(named: name.text),
            folder.isNothing(named: name.partial(of: origin))
        else { return nil }
        // The last variant is for a collision of the first, and so is never there without it.
        if let variant = names.next() {
            guard folder.isNothing(named: variant.text), folder.isNothing(named: variant.partial) else { return nil }
        }
        return FileLocation(
            origin: origin,
            finalName: name.text,
            partialName: name.partial,
            folder: folder,
            isPresent: false
        )
    }

    /// Finds the names for a download of `origin`: those it has from earlier, else the best that are free. A finished
    /// file wins over a partial one, and that over a free name.
    ///
    /// - Parameters:
    ///   - replacesExisting: whether a regular file that has the final name, be it whose it may, is replaced in the
    ///     end. Then a finished file is no answer either.
    ///   - isTaken: whether another download of this process has that final name. It is asked last and only about
    ///     names that would do, so it may claim the name as it answers: what it first answers no to is the place. It
    ///     must answer no again when this download asks once more.
    package func place(
        for origin: HTTPURL,
        naming: FileNaming,
        replacesExisting: Bool = false,
        isTaken: (_ finalName: String) -> Bool = { _ in false }
    ) throws(FileSystemError) -> Placement {
        let search = NameSearch(
            folder: try folder(),
            origin: origin,
            platform: platform,
            replacesExisting: replacesExisting
        )
        switch try search.result(for: naming) {
        case .finished(let file): return .finished(file)
        case .places(let places):
            for place in places where !isTaken(place.finalName) { return .partial(place) }
            throw FileSystemError(.create, search.folder.path(naming.preferred(for: origin).text), code: EEXIST)
        }
    }
}
