/// In which folder a file goes, below the one of its request or manager.
public enum DownloadPlacement: Sendable, Hashable {
    /// In that folder itself.
    case folder
    /// In folders that the URL names: its host, and the parts of its path but the last, each made safe as a file name
    /// is. `https://host/a/b/file.zip` goes into `host/a/b`, and without its first part into `host/b`.
    ///
    /// - Parameter cutting: how many parts of the path are left out, from its start.
    case urlFolders(cutting: Int = 0)
}
