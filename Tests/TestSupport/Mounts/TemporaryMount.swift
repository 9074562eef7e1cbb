import Foundation

/// A file system of a test's own, for root alone. It is unmounted with this object, even while it is in use.
package final class TemporaryMount: Sendable {
    package enum Kind: Sendable {
        /// Has no extended attributes and no limit.
        case ramfs
        /// Is full after so many bytes (rounded up to whole pages).
        case tmpfs(bytes: Int)
    }

    /// Whether this process may mount, tried once: for `.enabled(if: TemporaryMount.isPossible)`.
    package static let isPossible = (try? TemporaryMount(.ramfs)) != nil

    private let folder: TemporaryFolder

    /// Where it is mounted.
    package var path: String { folder.path }

    package init(_ kind: Kind) throws {
        folder = try TemporaryFolder()
        let (type, options) =
            switch kind {
            case .ramfs: ("ramfs", "mode=0700")
            case .tmpfs(let bytes): ("tmpfs", "mode=0700,size=\(bytes)")
            }
        guard mount("none", folder.path, type, UInt(MS_NOSUID | MS_NODEV), options) == 0 else {
            throw SystemError("mount of \(type)")
        }
    }

    deinit {
        umount2(folder.path, Int32(MNT_DETACH))
    }

    /// The absolute path of something in this file system.
    package func path(_ name: String) -> String { folder.path(name) }
}
