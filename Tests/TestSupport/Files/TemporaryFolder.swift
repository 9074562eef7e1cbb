import CSpateTestSystem
package import Foundation

/// A new, empty folder of a test's own, which goes away with this object, whatever the test left in it.
package final class TemporaryFolder: Sendable {
    /// The folder's absolute path, without links in it and without a slash at its end.
    package let path: String

    /// The folder as a file URL.
    package var url: URL { URL(fileURLWithPath: path, isDirectory: true) }

    /// Makes the folder, among those of this process for temporary files unless another parent is given.
    package init(in parent: String? = nil) throws {
        path = try Self.make(in: parent ?? Self.parent.get())
    }

    /// Where the folders of this process are, each in a part of the disk of its own: an ext4 without a journal searches what
    /// was deleted near a new file, which took a twentieth of all the time of the tests.
    private static let parent: Result<String, any Error> = Result {
        let path = try make(in: NSTemporaryDirectory())
        // A server that gives up root's rights has to come through.
        chmod(path, 0o711)
        spate_test_spread_folders(path)
        atexit { TemporaryFolder.removeParent() }
        return path
    }

    private static func removeParent() {
        if case .success(let path) = parent { rmdir(path) }
    }

    private static func make(in parent: String) throws -> String {
        var template = Array((parent as NSString).appendingPathComponent("spate-test-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError("mkdtemp in \(parent)") }
        guard let resolved = realpath(template, nil) else { throw SystemError("realpath in \(parent)") }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    deinit {
        TemporaryFolder.remove(Array(path.utf8CString), in: AT_FDCWD)
    }

    /// The absolute path of something in this folder.
    package func path(_ name: String) -> String { path + "/" + name }

    /// The file URL of something in this folder.
    package func url(_ name: String) -> URL { URL(fileURLWithPath: path(name)) }

    /// Removes a tree without following links. A folder that may not be read is made readable first.
    private static func remove(_ name: [CChar], in folder: Int32) {
        guard unlinkat(folder, name, 0) != 0, errno == EISDIR || errno == EPERM else { return }
        if unlinkat(folder, name, AT_REMOVEDIR) == 0 { return }
        fchmodat(folder, name, 0o700, 0)
        let descriptor = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        guard let stream = fdopendir(descriptor) else {
            close(descriptor)
            return
        }
        for entry in entries(of: stream) { remove(entry, in: descriptor) }
        closedir(stream)
        unlinkat(folder, name, AT_REMOVEDIR)
    }

    /// The names as C strings, because a `String` can't hold invalid UTF-8.
    private static func entries(of stream: OpaquePointer) -> [[CChar]] {
        var names: [[CChar]] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                bytes.prefix { $0 != 0 }.map { CChar(bitPattern: $0) } + [0]
            }
            if name != [0x2E, 0], name != [0x2E, 0x2E, 0] { names.append(name) }
        }
        return names
    }
}

/// A file system of a test's own, for root alone. It is unmounted with this object, even while it is in use.
package final class TemporaryMount: Sendable {
    package enum Kind: Sendable {
        /// Has no extended attributes and no limit.
        case ramfs
        /// Is full after this many bytes (rounded up to whole pages).
        case tmpfs(bytes: Int)
    }

    /// Whether this process may mount, tried once: for `.enabled(if: TemporaryMount.isPossible)`.
    package static let isPossible = (try? TemporaryMount(.ramfs)) != nil

    private let folder: TemporaryFolder

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
