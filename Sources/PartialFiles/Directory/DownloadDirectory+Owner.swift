import Glibc
import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPSyntax
import SpateLocking

extension DownloadDirectory {
    /// Makes a manager the owner of a partial file, unless an attempt has it open or another living manager owns it.
    package func claim(_ file: StoredFile, for owner: FileOwner) {
        guard let folder = (try? existingFolder()) ?? nil else { return }
        change(file.name, of: file.origin, in: folder) { present in
            if let present, present.isAlive(on: platform) { present } else { owner }
        }
    }

    /// The manager no longer owns the partial files of a claim.
    package func release(_ claim: FileClaim, from owner: FileOwner) {
        guard let folder = (try? existingFolder()) ?? nil else { return }
        for name in claim.partialNames where !folder.isNothing(named: name) {
            change(name, of: claim.origin, in: folder) { $0 == owner ? nil : $0 }
        }
    }

    private func change(
        _ name: FilePath,
        of origin: HTTPURL,
        in folder: OpenFolder,
        _ next: (FileOwner?) -> FileOwner?
    ) {
        // An owner is a hint. If a step fails, another manager may take the file, like any file without an owner, or
        // leaves it alone until this one goes.
        guard let (file, _) = (try? folder.openOwn(name, O_RDWR)) ?? nil,
            // A sidecar is written as a whole. And the process that has the file open knows its owner best.
            (try? file.lockAlone { $0 >= 5 }) ?? false
        else { return }
        defer { file.unlock() }
        guard var stored = try? StoredRecord(of: file) else { return }
        var wanted = stored.record
        wanted.owner = next(wanted.owner)
        guard wanted.isOf(origin), wanted.owner != stored.record.owner else { return }
        try? stored.update(to: wanted, of: file)
    }
}

extension PartialFile {
    /// Makes a manager the owner of a file that will be closed next.
    package func claim(for owner: FileOwner) {
        state.withLock { state in
            guard !state.isClosed, state.naming == .partial else { return }
            var wanted = state.stored.record
            wanted.owner = owner
            try? state.stored.update(to: wanted, of: state.file)
        }
    }
}
