import HTTPResumption

/// Looks at what stands at the names of one download.
struct NameSearch {
    enum Result {
        case finished(FinishedFile)
        /// Names that may be had, best first.
        case places([FileLocation])
    }

    private enum Finding {
        case finished(FinishedFile)
        case resumable(FileLocation)
        case free(FileLocation)
        case occupied
    }

    let folder: OpenFolder
    let origin: HTTPURL
    let platform: Platform
    let replacesExisting: Bool

    func result(for naming: FileNaming) throws(FileSystemError) -> Result {
        var resumable: [FileLocation] = []
        var free: [FileLocation] = []
        candidates: for (turn, name) in naming.candidates(for: origin).enumerated() {
            switch try finding(for: name, naming, isVariant: turn > 0) {
            case .finished(let file): return .finished(file)
            case .resumable(let place): resumable.append(place)
            case .occupied: continue
            case .free(let place):
                free.append(place)
                // The last variant is for a collision of the first, and so is never there without it.
                if turn > 0 { break candidates }
            }
        }
        return .places(resumable + free)
    }

    private func finding(
        for name: FileName,
        _ naming: FileNaming,
        isVariant: Bool
    ) throws(FileSystemError) -> Finding {
        let owner = try owner(of: name.text)
        if !replacesExisting, let file = owner.finishedFile(name.text, in: folder, on: platform) {
            return .finished(file)
        }
        switch owner {
        case .nothing, .own:
            // Ours but not whole, which no run of this code leaves behind: it is fetched again and replaced.
            break
        case .stranger(.link):
            // The rename will replace the link, never what it points to.
            break
        case .another, .blank, .stranger(.regular):
            if !replacesExisting { return .occupied }
        case .stranger:
            return .occupied
        }
        return try partial(for: name, naming, isVariant: isVariant)
    }

    /// The partial file for a final name that may be had: beside it, or under a name of its own where a stranger has
    /// that one.
    private func partial(
        for name: FileName,
        _ naming: FileNaming,
        isVariant: Bool
    ) throws(FileSystemError) -> Finding {
        let first = try owner(of: name.partial)
        if case .own = first { return .resumable(place(name, name.partial, first)) }
        // A caller who chose the name wants it, whoever else is on the way to it; a derived name moves on.
        if case .another = first, naming == .derived { return .occupied }
        if isVariant, first.isFree { return .free(place(name, name.partial, first)) }

        let otherName = name.partial(of: origin)
        let second = try owner(of: otherName)
        if case .own = second { return .resumable(place(name, otherName, second)) }
        if first.isFree { return .free(place(name, name.partial, first)) }
        return second.isFree ? .free(place(name, otherName, second)) : .occupied
    }

    private func owner(of name: String) throws(FileSystemError) -> NameOwner {
        try NameOwner(of: name, in: folder, for: origin, on: platform)
    }

    private func place(_ name: FileName, _ partialName: String, _ owner: NameOwner) -> FileLocation {
        let isPresent = if case .nothing = owner { false } else { true }
        return FileLocation(
            origin: origin,
            finalName: name.text,
            partialName: partialName,
            folder: folder,
            isPresent: isPresent
        )
    }
}
