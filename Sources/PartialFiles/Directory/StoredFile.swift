package import HTTPResumption
package import HTTPSyntax

/// A file in a folder that Spate made, finished or not.
package struct StoredFile: Hashable, Sendable {
    package let path: String
    /// Its name now.
    package let name: String
    /// Its name when it is finished.
    package let finalName: String
    package let origin: HTTPURL
    /// The number of bytes; of a partial file, only those that a resume would keep.
    package let size: Int64
    package let total: Int64?
    package let isFinished: Bool
    /// Whether a download is writing it now.
    package let isInUse: Bool
    /// The manager that has it paused, waiting or due for a retry.
    package let owner: FileOwner?
    /// Whether its record is in a sidecar.
    let hasSidecar: Bool
    /// What to ask a server about a finished file; nil if nothing would prove that it has not changed.
    package var entity: FinishedEntity?
    /// Whether it is taken for the file of its URL by its name alone. It may be of anybody, or behind a link.
    package var isStranger = false

    /// A finished file, whose total is its size.
    static func finished(
        _ name: String,
        in folder: OpenFolder,
        origin: HTTPURL,
        size: Int64,
        hasSidecar: Bool = false
    ) -> StoredFile {
        StoredFile(
            path: folder.path(name),
            name: name,
            finalName: name,
            origin: origin,
            size: size,
            total: size,
            isFinished: true,
            isInUse: false,
            owner: nil,
            hasSidecar: hasSidecar
        )
    }

    /// The naming that leads to this file again.
    package var naming: FileNaming {
        let isDerived = FileNaming.derived.candidates(for: origin).contains {
            $0.text.utf8.elementsEqual(finalName.utf8)
        }
        guard !isDerived, let name = try? FileName(explicit: finalName) else { return .derived }
        return .explicit(name)
    }
}
