import CSystem
import Foundation
import TestSupport

/// What a run left in a folder, to be put into others just as it was.
struct KillLeftover: Sendable {
    private struct File: Sendable {
        var bytes: Data
        var attributes: [String: String]
        var modified: Date?
    }

    private var files: [String: File] = [:]

    init() {}

    /// Takes all files of a folder.
    init(of folder: TemporaryFolder) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let path = folder.path(name)
            files[name] = File(
                bytes: try Data(contentsOf: folder.url(name)),
                // Not every file system has them.
                attributes: (try? attributes(of: path)) ?? [:],
                modified: try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
            )
        }
    }

    /// A file that is not Spate's.
    init(stranger name: String, _ bytes: [UInt8]) {
        files[name] = File(bytes: Data(bytes), attributes: [:])
    }

    func merging(_ other: KillLeftover) -> KillLeftover {
        var all = self
        all.files.merge(other.files) { $1 }
        return all
    }

    func put(into folder: TemporaryFolder) throws {
        for (name, file) in files {
            try file.bytes.write(to: folder.url(name))
            for (attribute, value) in file.attributes {
                let bytes = Array(value.utf8)
                let result = setxattr(folder.path(name), attribute, bytes, bytes.count, 0)
                guard result == 0 else { throw SystemError("setxattr") }
            }
            guard let modified = file.modified else { continue }
            try FileManager.default.setAttributes([.modificationDate: modified], ofItemAtPath: folder.path(name))
        }
    }
}
