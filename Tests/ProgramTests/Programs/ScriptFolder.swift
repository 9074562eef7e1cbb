import Foundation
import SpateTestSupport
import Testing

extension TemporaryFolder {
    /// Writes a script that may be run, and returns its path.
    @discardableResult
    func script(_ name: String, _ text: String, interpreter: String = "/bin/sh") throws -> String {
        try write("#!\(interpreter)\n\(text)\n", to: name)
        guard chmod(path(name), 0o755) == 0 else { throw SystemError("chmod") }
        return path(name)
    }

    /// The lines of a file, each a JSON object. None if it does not exist.
    func objects(_ name: String) throws -> [[String: Any]] {
        guard FileManager.default.fileExists(atPath: path(name)) else { return [] }
        return try text(name).split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
        }
    }

    /// Waits until a script has written its process ID into a file, and returns it.
    func processID(in name: String) async throws -> Int32 {
        try await eventually("a process ID in \(name)") { (try? text(name))?.hasSuffix("\n") == true }
        return try #require(Int32(text(name).split(separator: "\n")[0]))
    }

    /// Waits until a process is gone. A zombie whose parent does not look is gone as well.
    func waitForEnd(of pid: Int32) async throws {
        try await eventually("the end of process \(pid)") {
            let status = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
            return status.map { $0.contains(") Z ") } ?? true
        }
    }
}
