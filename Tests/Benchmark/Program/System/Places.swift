import Foundation

/// The folders in memory and on the disk that files are written to.
struct Places: Sendable {
    let memory: String
    let disk: String

    /// - Parameter directory: a folder on the disk that is meant; one for temporary files that outlive a start of the
    ///   machine unless given, for the usual one is often in memory.
    init(directory: String?) throws(UsageError) {
        memory = "/dev/shm"
        disk = directory ?? "/var/tmp"
        guard Self.fileSystem(of: memory) == "tmpfs", access(memory, W_OK) == 0 else {
            throw UsageError("\(memory) is no tmpfs that may be written to, and the served files belong there")
        }
        guard access(disk, W_OK | X_OK) == 0 else {
            throw UsageError("\(disk) is no folder that may be written to; name one with --directory")
        }
    }

    func path(of medium: Scenario.Medium) -> String {
        medium == .memory ? memory : disk
    }

    /// Why the work does not fit; `nil` if it does. A sixteenth is left free.
    func shortage(for scenario: Scenario) -> String? {
        var needed: [String: Int] = [memory: scenario.totalBytes]
        needed[path(of: scenario.medium), default: 0] += scenario.totalBytes
        for (path, bytes) in needed {
            guard let free = Self.freeBytes(at: path) else { return "\(path) cannot be looked at" }
            if bytes + bytes / 16 > free {
                return
                    "it needs \(QuantityText.bytes(bytes + bytes / 16)) at \(path), where \(QuantityText.bytes(free)) are free"
            }
        }
        return nil
    }

    private static func freeBytes(at path: String) -> Int? {
        var found = statvfs()
        guard statvfs(path, &found) == 0 else { return nil }
        return Int(found.f_bavail) * Int(found.f_frsize)
    }

    /// The kind of the file system, such as `ext4`, as the table of mounts has it.
    static func fileSystem(of path: String) -> String {
        guard let real = realpath(path, nil) else { return "unknown" }
        defer { free(real) }
        let path = String(cString: real)
        let mounts = (try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8)) ?? ""
        let under = mounts.split(separator: "\n").map { $0.split(separator: " ") }.filter { mount in
            guard mount.count > 2 else { return false }
            return mount[1] == "/" || path == mount[1] || path.hasPrefix(mount[1] + "/")
        }
        // Of two on one place the later one is seen.
        var deepest: [Substring]?
        for mount in under where mount[1].count >= (deepest?[1].count ?? 0) { deepest = mount }
        return deepest.map { String($0[2]) } ?? "unknown"
    }
}
