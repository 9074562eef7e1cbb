import Foundation
import Glibc
import SpateLocking

/// A new folder that only this user can enter, in that of temporary files. Remove it at the end. A signal that ends the
/// program at once removes it, too.
package struct PrivateFolder: Sendable {
    private static let all = Locked<Set<String>>([])

    package let path: String

    /// - Parameters:
    ///   - name: the start of its name.
    ///   - failure: the error if it can't be made, from its parent and the error number.
    package init<Failure: Error>(_ name: String, else failure: (String, Int32) -> Failure) throws(Failure) {
        let parent = FileManager.default.temporaryDirectory.path
        var template = Array("\(parent)/\(name)-XXXXXX".utf8CString)
        // For this user alone, whatever the umask.
        guard mkdtemp(&template) != nil else { throw failure(parent, errno) }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        self.path = path
        Self.all.withLock { _ = $0.insert(path) }
    }

    package func remove() {
        Self.delete(path)
        Self.all.withLock { _ = $0.remove(path) }
    }

    /// Removes all that are left, right before the process ends.
    package static func removeAll() {
        for path in all.withLock(\.self) { delete(path) }
    }

    private static func delete(_ path: String) {
        // A download that still runs may make another file meanwhile.
        for _ in 0..<3 where access(path, F_OK) == 0 { try? FileManager.default.removeItem(atPath: path) }
    }
}
