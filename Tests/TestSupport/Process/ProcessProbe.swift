import Foundation

/// What a process holds, as `/proc` says: for finding leaks.
///
/// The numbers of the test process itself belong to all tests that run at the same time; look for leaks in a process
/// of its own, or in a suite that runs alone.
package struct ProcessProbe: Sendable {
    package let pid: Int32

    /// - Parameter pid: this process unless given.
    package init(pid: Int32 = ProcessInfo.processInfo.processIdentifier) {
        self.pid = pid
    }

    /// What each open descriptor leads to, by its number, without the one used for looking.
    package var descriptors: [Int32: String] {
        get throws {
            let folder = "/proc/\(pid)/fd"
            let pairs = try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { name in
                // The descriptor of the listing itself is closed by now.
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
                return target.flatMap { target in Int32(name).map { ($0, target) } }
            }
            return Dictionary(uniqueKeysWithValues: pairs)
        }
    }

    package var threads: Int {
        get throws { try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task").count }
    }

    /// The memory that is in use now.
    package var residentBytes: Int {
        get throws { try status("VmRSS") * 1_024 }
    }

    private func status(_ name: String) throws -> Int {
        let path = "/proc/\(pid)/status"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        guard let number = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) }) else {
            throw SystemError("\(name) in \(path)", number: ENODATA)
        }
        return number
    }
}
