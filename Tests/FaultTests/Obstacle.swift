import Foundation
import TestSupport

/// What a stranger may have put where Spate wants to write, each leading to something of his own.
enum Obstacle: CaseIterable {
    case linkToFile, linkToFolder, linkToNothing, hardLink, pipe, folder, fullFolder, file

    /// Puts it there; false where the system refuses, as a hard link between file systems.
    func put(at path: String, belonging: StrangersFolder) -> Bool {
        switch self {
        case .linkToFile: symlink(belonging.folder.path("precious"), path) == 0
        case .linkToFolder: symlink(belonging.folder.path("folder"), path) == 0
        case .linkToNothing: symlink(belonging.folder.path("nothing"), path) == 0
        case .hardLink: link(belonging.folder.path("precious"), path) == 0
        case .pipe: mkfifo(path, 0o600) == 0
        case .folder: mkdir(path, 0o700) == 0
        case .fullFolder: mkdir(path, 0o700) == 0 && mkdir(path + "/inner", 0o700) == 0
        case .file: FileManager.default.createFile(atPath: path, contents: Data(StrangersFolder.precious))
        }
    }
}

/// A folder outside that of the downloads, which nothing may touch.
final class StrangersFolder: Sendable {
    static let precious = Array("precious".utf8)

    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try Data(Self.precious).write(to: folder.url("precious"))
        try FileManager.default.createDirectory(at: folder.url("folder"), withIntermediateDirectories: false)
    }

    /// Whether the stranger has what he had, and no more.
    var isUntouched: Bool {
        get throws {
            let files = FileManager.default
            return try Data(contentsOf: folder.url("precious")) == Data(Self.precious)
                && files.contentsOfDirectory(atPath: folder.path).sorted() == ["folder", "precious"]
                && files.contentsOfDirectory(atPath: folder.path("folder")).isEmpty
        }
    }
}
