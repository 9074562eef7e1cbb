import PartialFiles

extension DownloadError {
    /// What made opening a download's files fail.
    init(opening error: any Error) {
        switch error {
        case let error as DownloadError: self = error
        case let error as FileSystemError: self.init(writing: error)
        case let error as FileNameError: self.init(.badFileName, Self.sentence("\(error)."), underlying: error)
        default: self.init(.fileSystem, "The file could not be opened: \(error).", underlying: error)
        }
    }

    /// What made writing, or putting a file in place, fail.
    init(writing error: any Error) {
        guard let error = error as? FileSystemError else {
            self.init(opening: error)
            return
        }
        let sentence = Self.sentence("\(error).")
        let (code, advice) =
            switch error.kind {
            case .diskFull: (Code.diskFull, " Free some space and try again; what is there will be used.")
            case .inUse: (Code.inUse, " Wait until that has ended, or choose another folder.")
            case .alreadyExists: (Code.fileExists, " Choose another name, or allow replacing it.")
            default: (Code.fileSystem, "")
            }
        self.init(code, sentence + advice, underlying: error)
    }
}
