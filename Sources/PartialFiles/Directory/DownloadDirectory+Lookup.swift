package import HTTPResumption

extension DownloadDirectory {
    /// The finished file of `origin`; nil where there is none. Nothing is made or changed, not even the folder.
    package func finishedFile(of origin: HTTPURL, naming: FileNaming) throws(FileSystemError) -> FinishedFile? {
        for (turn, name) in naming.candidates(for: origin).enumerated() {
            // A path that leads to nothing needs no look at which folder it goes through.
            if OpenFolder.isNothing(at: path(name.text)) {
                // The last variant is for a collision of the first, and so is never there without it.
                if turn > 0 { break }
                continue
            }
            guard let folder = try existingFolder() else { return nil }
            let owner = try NameOwner(of: name.text, in: folder, for: origin, on: platform)
            if let file = owner.finishedFile(name.text, in: folder, on: platform) { return file }
        }
        return nil
    }

    /// The path where the file of `origin` is, or will be as things stand now. Nothing is made or changed.
    ///
    /// - Parameter isTaken: whether another download of this process has that final name.
    package func location(
        of origin: HTTPURL,
        naming: FileNaming,
        isTaken: (_ finalName: String) -> Bool = { _ in false }
    ) throws(FileSystemError) -> String {
        let preferred = naming.preferred(for: origin)
        guard let folder = try existingFolder() else {
            let name = naming.candidates(for: origin).first { !isTaken($0.text) }
            return path((name ?? preferred).text)
        }
        let search = NameSearch(folder: folder, origin: origin, platform: platform, replacesExisting: false)
        switch try search.result(for: naming) {
        case .finished(let file): return file.path
        case .places(let places):
            let place = places.first { !isTaken($0.finalName) }
            return place?.finalPath ?? folder.path(preferred.text)
        }
    }
}
