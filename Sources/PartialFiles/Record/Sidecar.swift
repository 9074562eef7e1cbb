import Glibc
package import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPResumption
import SpateHTTPSyntax

/// A record in its own file: a line `NAME=VALUE` for each attribute.
package struct Sidecar: Hashable, Sendable {
    package var record: ResumeRecord
    /// The time of the last write to the finished file, in seconds since 1970. It differs if the file was replaced by
    /// another.
    package var modified: Int64?
    /// The partial name under which the finished file waits for its own: until that is free, a file of the final name is
    /// another.
    package var partialName: FilePath?
    /// Whether there was a list of filled ranges that did not parse.
    private(set) var hasInvalidList = false

    /// Sidecars are shorter: two lists and a URL are the longest fields. Nothing beyond this is read.
    package static let maximumLength = 2 * FilledRanges.longestText + 80_000

    private static let modifiedField = "modified"
    private static let partialNameField = "part"

    package init(record: ResumeRecord, modified: Int64? = nil, partialName: FilePath? = nil) {
        (self.record, self.modified, self.partialName) = (record, modified, partialName)
    }

    /// Parses `text`. Skips invalid lines; of two with the same name, the first counts.
    package init(bytes: UnsafeRawBufferPointer) {
        self.init(record: ResumeRecord())
        for line in bytes.prefix(Self.maximumLength).split(separator: UInt8(ascii: "\n")) {
            guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { continue }
            // Never repair: an entity tag that is not UTF-8 would become another tag.
            guard let name = String(validating: line[..<equals], as: UTF8.self),
                let value = String(validating: line[(equals + 1)...], as: UTF8.self)
            else { continue }
            if let field = RecordField(rawValue: name) {
                if record[field] == nil { record[field] = value }
                if field == .filled { hasInvalidList = record.filled == nil }
            } else if name == Self.modifiedField, modified == nil {
                modified = Int64(strictDecimal: value.utf8.span)
            } else if name == Self.partialNameField, partialName == nil {
                let path = FilePath(value)
                if FileName.isPartial(path), !value.utf8.contains(UInt8(ascii: "/")) { partialName = path }
            }
        }
    }

    package var text: String {
        var text = ""
        for field in RecordField.allCases {
            // No value contains a line end: the record checks that.
            if let value = record[field] { text += "\(field.rawValue)=\(value)\n" }
        }
        if let modified { text += "\(Self.modifiedField)=\(modified)\n" }
        if let partialName { text += "\(Self.partialNameField)=\(partialName.text)\n" }
        return text
    }
}

extension Sidecar {
    /// The sidecar of `file`; nil if there is none, or if it belongs to a replaced file.
    init?(of file: OpenFile) throws(FileSystemError) {
        if FileName.isPartial(file.name) {
            try self.init(for: file.name, in: file.folder)
            return
        }
        let status = try file.status()
        func isSidecar(_ found: Self) -> Bool {
            found.modified == status.modified.components.seconds && found.record.total == status.size
        }
        if let found = try Self(for: file.name, in: file.folder), isSidecar(found) {
            self = found
            return
        }
        // A run that is stopped right after the rename leaves the sidecar under its prepared name. One that is stopped
        // right before it leaves that, too, beside a file that it was to replace.
        guard let found = try Self(named: FileName.unfinishedSidecar(of: file.name), in: file.folder), isSidecar(found)
        else { return nil }
        if let partialName = found.partialName, try file.folder.status(of: partialName) != nil { return nil }
        self = found
    }

    /// Gives the sidecar of `file` its name, if it still has its prepared name.
    static func finish(_ file: OpenFile) throws(FileSystemError) {
        let named = try Self(for: file.name, in: file.folder)
        guard let own = try Self(of: file), own != named else { return }
        try replace(for: file.name, in: file.folder)
    }

    /// The sidecar of the file `name`, which may be missing.
    init?(for name: FilePath, in folder: OpenFolder) throws(FileSystemError) {
        try self.init(named: FileName.sidecar(of: name), in: folder)
    }

    private init?(named name: FilePath, in folder: OpenFolder) throws(FileSystemError) {
        guard let (file, status) = try folder.openOwn(name) else { return nil }
        let size = min(Int(clamping: status.size), Self.maximumLength)
        self = try withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) { buffer throws(FileSystemError) in
            let count = try file.read(into: buffer, at: 0)
            return Self(bytes: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// Writes the sidecar of the file `name`. A reader finds the old or the new one, never a half.
    func write(
        for name: FilePath,
        in folder: OpenFolder,
        durably: Bool
    ) throws(FileSystemError) {
        try prepare(for: name, in: folder, durably: durably)
        do throws(FileSystemError) {
            try Self.replace(for: name, in: folder)
        } catch {
            Self.removePrepared(for: name, in: folder)
            throw error
        }
        if durably { try folder.sync() }
    }

    /// Writes the sidecar of the file `name` under another name, so that `replace` is quick.
    func prepare(
        for name: FilePath,
        in folder: OpenFolder,
        durably: Bool
    ) throws(FileSystemError) {
        let prepared = FileName.unfinishedSidecar(of: name)
        try folder.unlink(prepared)
        // For this user alone: a URL may be signed.
        let file = try folder.open(prepared, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
        do throws(FileSystemError) {
            let text = text
            try text.utf8.span.withUnsafeBytes { bytes throws(FileSystemError) in try file.write(bytes, at: 0) }
            if durably { try file.sync() }
        } catch {
            Self.removePrepared(for: name, in: folder)
            throw error
        }
    }

    /// Gives the prepared sidecar of the file `name` its name.
    static func replace(for name: FilePath, in folder: OpenFolder) throws(FileSystemError) {
        try folder.rename(FileName.unfinishedSidecar(of: name), to: FileName.sidecar(of: name))
    }

    /// If it stays, the next download to this name replaces it, and a deletion removes it.
    static func removePrepared(for name: FilePath, in folder: OpenFolder) {
        try? folder.unlink(FileName.unfinishedSidecar(of: name))
    }

    /// Removes the sidecar of the file `name`, and an unfinished one.
    static func remove(for name: FilePath, in folder: OpenFolder) throws(FileSystemError) {
        // In this order: if we are stopped in between, the sidecar stays and shows a later run the file's owner.
        try folder.unlink(FileName.unfinishedSidecar(of: name))
        try folder.unlink(FileName.sidecar(of: name))
    }

    /// Removes sidecars of `origin` without a file: a run was stopped between making or removing the two. Another file
    /// that gets the name later must not find them.
    static func removeOrphan(
        for name: FilePath,
        of origin: HTTPURL,
        in folder: OpenFolder
    ) throws(FileSystemError) {
        guard try folder.status(of: name) == nil else { return }
        for orphan in [FileName.unfinishedSidecar(of: name), FileName.sidecar(of: name)] {
            if try Self(named: orphan, in: folder)?.record.isOf(origin) ?? false { try folder.unlink(orphan) }
        }
    }
}
