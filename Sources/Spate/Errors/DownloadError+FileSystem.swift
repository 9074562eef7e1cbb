import SpateFilePaths
import SpateFileSystemCalls

extension DownloadError {
    init(_ error: FileSystemError) {
        let (code, advice) =
            switch (error.operation, error.kind) {
            case (.delete, .inUse): (Code.inUse, "Stop that download, or wait for its end.")
            case (.delete, .changed): (.fileChanged, "Delete it yourself, or allow replacing it and then delete it.")
            default: Self.advice(for: error.kind)
            }
        self.init(
            code,
            "\(Self.sentence("\(error)")). \(advice)",
            isRetryable: error.kind == .tooManyOpenFiles,
            underlying: error
        )
    }

    /// The folder of a complete file is no longer at its path.
    ///
    /// - Parameter path: where the file is by now, if that is known.
    static func folderMoved(_ error: FileSystemError, _ path: FilePath?) -> DownloadError {
        let place = path.map { "The complete file is in it: \($0)." } ?? "The complete file was in it."
        return DownloadError(
            .folderMoved,
            "The folder \(error.path) was moved, replaced or deleted during the download. \(place)",
            underlying: error
        )
    }

    private static func advice(for kind: FileSystemError.Kind) -> (Code, String) {
        switch kind {
        case .diskFull: (.diskFull, "Free some space and try again; the download resumes.")
        case .inUse: (.inUse, "Wait for it to end, or choose another folder.")
        case .alreadyExists: (.fileExists, "Choose another name, or allow replacing it.")
        case .notRegularFile: (.fileSystem, "Move it away, or choose another name or folder.")
        case .notFolder: (.fileSystem, "Move the file away, or choose another folder.")
        case .permissionDenied: (.fileSystem, "Check the owner and the permissions, or choose another folder.")
        case .readOnly: (.fileSystem, "Choose another folder, or mount this one for writing.")
        case .nameTooLong: (.fileSystem, "Choose a shorter name or folder.")
        case .missing: (.fileSystem, "Check that the folder exists, and try again.")
        case .changed: (.fileSystem, "Try again, and leave the file alone during the download.")
        case .tooManyOpenFiles: (.fileSystem, "Close some, or allow more with ulimit -n.")
        case .other: (.fileSystem, "Check the disk, and try again.")
        }
    }
}
