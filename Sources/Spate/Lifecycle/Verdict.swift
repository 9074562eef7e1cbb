import SpateFileSystemCalls
import SpatePartialFiles

/// What becomes of a download, by the file that is there and by what is wanted.
enum Verdict: Equatable {
    /// The file is the result.
    case answer
    /// The file is the result if its bytes are right. If not, what is right of it is kept.
    case read(replacing: ReplacedFiles)
    /// The file is the result if its server still has it.
    case ask(replacing: ReplacedFiles)
    /// The file is fetched: a partial file is continued, or a new one begun. What may not be replaced stays, and the new
    /// file gets another name.
    case fetch(replacing: ReplacedFiles)
    /// The file may not be replaced, and another one beside it would be the same one twice.
    case refuse

    /// What a file that is fetched may replace.
    var replaced: ReplacedFiles {
        switch self {
        case .read(let replaced), .ask(let replaced), .fetch(let replaced): replaced
        case .answer, .refuse: .none
        }
    }
}

extension WantedFile {
    /// - Parameter file: the finished or changed file, or another program's; `nil` if there is none.
    func verdict(on file: StoredFile?) -> Verdict {
        guard let file else { return .fetch(replacing: replaces || repairs ? .all : .none) }
        if repairs { return isProvable ? .read(replacing: .all) : file.isChanged ? .fetch(replacing: .all) : .refuse }
        let isOwn = file.isFinished && !file.isStranger
        if replaces, !checksForUpdate || !isOwn { return .fetch(replacing: .all) }
        if file.isChanged, !isProvable { return .refuse }
        let replaced: ReplacedFiles = replaces ? .all : isOwn ? .own : .none
        guard accepts(size: file.size) else { return .fetch(replacing: replaced) }
        if isProvable { return .read(replacing: replaced) }
        return checksForUpdate && isOwn ? .ask(replacing: replaced) : .answer
    }
}

extension DownloadDirectory {
    /// The file that there is for a claim: its own, or one of another program if that is wanted.
    ///
    /// - Parameter isFirstLook: whether nobody has read another program's file yet. A wrong one is read once.
    func presentFile(
        _ claim: FileClaim,
        for wanted: WantedFile,
        isFirstLook: Bool = true
    ) throws(FileSystemError) -> StoredFile? {
        let own = try finalFile(claim)
        if let own, own.isFinished || wanted.isProvable || wanted.repairs { return own }
        guard wanted.takesAnyFile || wanted.repairs || wanted.isProvable && isFirstLook else { return own }
        return try anyFile(claim, followsLinks: wanted.takesAnyFile || wanted.repairs) ?? own
    }
}
