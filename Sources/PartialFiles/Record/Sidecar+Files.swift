import Glibc
import HTTPResumption

extension Sidecar {
    /// The sidecar beside `file`; nil where there is none, or none that is of this file.
    init?(of file: OpenFile) {
        self.init(for: file.name, in: file.folder)
        if FileName.isPartial(file.name) { return }
        guard let modified, let status = try? file.status(), status.modified == modified else { return nil }
    }

    /// The sidecar of the file `name`, whether that is there or not.
    init?(for name: String, in folder: OpenFolder) {
        guard let beside = try? folder.open(FileName.sidecar(of: name), O_RDONLY),
            (try? beside.status())?.kind == .regular,
            let sidecar = try? Self(contentsOf: beside)
        else { return nil }
        self = sidecar
    }

    private init(contentsOf file: OpenFile) throws(FileSystemError) {
        self = try withUnsafeTemporaryAllocation(byteCount: Self.maximumLength, alignment: 1) {
            buffer throws(FileSystemError) in
            let count = try file.read(into: buffer, at: 0)
            return Self(bytes: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// Writes the sidecar of the file `name` as a whole: a reader finds the old one or this one.
    func write(
        for name: String,
        in folder: OpenFolder,
        on platform: Platform,
        durably: Bool
    ) throws(FileSystemError) {
        let unfinished = FileName.unfinishedSidecar(of: name)
        try folder.unlink(unfinished)
        let file = try folder.open(unfinished, O_WRONLY | O_CREAT | O_EXCL)
        do throws(FileSystemError) {
            try file.write(text, on: platform)
            if durably { try file.call(.sync) { platform.sync(file.descriptor) } }
            try folder.rename(unfinished, to: FileName.sidecar(of: name))
        } catch {
            try? folder.unlink(unfinished)
            throw error
        }
        // Not every file system can do this for a folder, and none is worse off without.
        if durably { fsync(folder.descriptor) }
    }

    /// Removes the sidecar of the file `name`, and one that was not finished.
    static func remove(for name: String, in folder: OpenFolder) throws(FileSystemError) {
        // In this order: whoever is stopped in between leaves what tells a later run whose it is.
        try folder.unlink(FileName.unfinishedSidecar(of: name))
        try folder.unlink(FileName.sidecar(of: name))
    }

    /// Removes a sidecar of `origin` whose file is gone: a run was stopped between the two. Beside another file that
    /// gets the name one day, it would speak for bytes that it knows nothing of.
    static func removeOrphan(for name: String, of origin: HTTPURL, in folder: OpenFolder) throws(FileSystemError) {
        guard try folder.status(of: name) == nil, let sidecar = Self(for: name, in: folder),
            sidecar.record.isOf(origin)
        else { return }
        try remove(for: name, in: folder)
    }
}

extension OpenFile {
    fileprivate func write(_ text: String, on platform: Platform) throws(FileSystemError) {
        var text = text
        let outcome = text.withUTF8 { bytes in
            Result { () throws(FileSystemError) in try write(UnsafeRawBufferPointer(bytes), at: 0, on: platform) }
        }
        try outcome.get()
    }
}
