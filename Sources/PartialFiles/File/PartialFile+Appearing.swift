import Glibc
import SpateExtendedAttributes
import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPResumption
import SpateHTTPSyntax
import SpateLocking
import SpateTiming

/// A file that arrives in one piece gets only its final name: no lock, no durable mark and no rename. Only a slower
/// file needs a partial name, under which a later process finds it.
extension PartialFile {
    enum Naming {
        /// A new file, visible to nobody else.
        case unnamed
        /// It has the partial name and is locked.
        case partial
        /// It was deleted before it had a name, and gets none.
        case forgone
    }

    /// Gives a file with bytes its partial name, if it has none yet.
    ///
    /// - Returns: whether it has bytes, and a name that keeps them.
    package func keep() -> Bool {
        state.withLock { state in
            if state.isClosed || state.filled.isEmpty { return false }
            try? appear(&state)
            return state.naming == .partial
        }
    }

    /// The download was deleted: the file gets no more names. If it is just getting its final name, it has the name
    /// when this returns.
    package func forgoName() {
        state.withLock { state in
            state.isForgone = true
            if state.naming == .unnamed { state.naming = .forgone }
        }
    }

    func appear(_ state: inout State) throws(FileSystemError) {
        guard state.naming == .unnamed else { return }
        var wanted = state.stored.record
        (wanted.origin, wanted.isOfDocument) = (state.location.origin.text, isOfDocument)
        wanted.durable =
            wanted.durable ?? DurableMark(FilledRanges(), boot: platform.boot, isList: wanted.filled != nil)
        if state.stored.medium == .attributes { try state.stored.update(to: wanted, of: state.file) }
        // Before anybody can see it.
        _ = try state.file.lock(LOCK_EX)
        try linkPartial(&state)
        state.naming = .partial
        if state.stored.medium == .sidecar {
            // The next files of this folder also need a name from the start.
            folder.makeNamedFiles()
            state.stored = StoredRecord(in: .sidecar)
            try state.stored.update(to: wanted, of: state.file)
        }
    }

    private func linkPartial(_ state: inout State, mayTryAgain: Bool = true) throws(FileSystemError) {
        let origin = state.location.origin
        do throws(ErrorNumber) {
            return try link(state.file, to: state.location.partialName)
        } catch  where error.code == EEXIST {
            // Another process has made the file since this download began.
            switch try owner(ofPartial: state.location) {
            case .own: throw FileSystemError(.lock, state.location.partialPath, code: EWOULDBLOCK)
            // The file is already gone.
            case .nothing where mayTryAgain: return try linkPartial(&state, mayTryAgain: false)
            default: break
            }
            state.location.partialName = state.location.searched.partial(of: origin)
            state.file = state.file.renamed(state.location.partialName)
        } catch {
            return try copy(&state)
        }
        do throws(ErrorNumber) {
            try link(state.file, to: state.location.partialName)
        } catch {
            throw FileSystemError(.create, state.location.partialPath, code: error.code)
        }
    }

    /// The owner of the partial name. A download that has just made the file has locked it and signs it soon.
    private func owner(ofPartial location: FileLocation) throws(FileSystemError) -> NameOwner {
        let search = NameSearch(folder: folder, origin: location.origin)
        for _ in 0..<50 {
            guard case .blank = try search.owner(of: location.partialName),
                let file = try folder.openPossible(location.partialName), try !file.lock(LOCK_SH)
            else { break }
            platform.runtime.sleep(.milliseconds(2))
        }
        return try search.owner(of: location.partialName)
    }

    /// Gives it the final name if the name is free; else returns false.
    func linkFinal(_ state: State) -> Bool {
        (try? link(state.file, to: state.location.finalName)) != nil
    }

    private func link(_ file: OpenFile, to name: FilePath) throws(ErrorNumber) {
        _ = try SystemCall.run { platform.linkUnnamed(file.descriptor, folder.descriptor, name) }
    }

    /// Replaces a file that cannot get a name, as without /proc, by a named copy.
    private func copy(_ state: inout State) throws(FileSystemError) {
        folder.makeNamedFiles()
        let named = try folder.open(state.location.partialName, O_RDWR | O_CREAT | O_EXCL)
        let signature = ResumeRecord(origin: state.location.origin.text, isOfDocument: isOfDocument)
        guard try named.lockAlone(unless: { _ in false }), var stored = try StoredRecord(signing: named, as: signature)
        else { throw FileSystemError(.lock, named.path, code: EWOULDBLOCK) }
        for range in state.filled.ranges { try named.copy(range, from: state.file) }
        try stored.update(to: state.stored.record, of: named)
        if state.isPrepared { try named.sync() }
        (state.file, state.stored) = (named, stored)
    }
}
