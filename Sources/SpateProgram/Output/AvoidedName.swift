import Foundation
import Glibc

/// Finds the name that a file would have if it were free.
enum AvoidedName {
    /// For a name such as `file-1a2b3c4d.zip`, in which the library has put a hash before the extension: `file.zip`, if
    /// there is such a file. `nil` if the URL itself gave the name.
    static func of(_ file: URL, from source: URL) -> String? {
        let name = file.lastPathComponent
        // Almost every file has its URL's name, so compare that first.
        guard name != source.lastPathComponent,
            let match = name.wholeMatch(of: #/(.*)-(?:[0-9a-f]{8}|[0-9a-f]{16})(\.[^-]*)?/#)
        else { return nil }
        let wanted = String(match.1) + String(match.2 ?? "")
        let path = file.deletingLastPathComponent().appendingPathComponent(wanted).path
        // lstat, because a dangling link occupies its name, too.
        var status = stat()
        return !wanted.isEmpty && lstat(path, &status) == 0 ? wanted : nil
    }
}
