import CSpateTestSystem
import Foundation
import SpateLocking

/// A pipe with close-on-exec ends.
struct Pipe: Sendable {
    let reading: OwnedDescriptor
    let writing: OwnedDescriptor

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard spate_test_pipe(&ends) == 0 else { throw SystemError("pipe") }
        reading = OwnedDescriptor(ends[0])
        writing = OwnedDescriptor(ends[1])
    }

    /// Hands over everything until the last writing end is closed.
    func readToEnd(_ receive: ([UInt8]) -> Void) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(reading.number, &buffer, buffer.count)
            if count > 0 {
                receive(Array(buffer[..<count]))
            } else if count == 0 || errno != EINTR {
                return
            }
        }
    }
}

/// A file without a name that a child reads as its standard input: no thread is needed to feed it.
final class InputFile {
    let descriptor: Int32

    init(_ bytes: [UInt8]) throws {
        descriptor = spate_test_memfd()
        guard descriptor >= 0 else { throw SystemError("memfd_create") }
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { source in
                source.baseAddress.map { write(descriptor, $0 + written, bytes.count - written) } ?? 0
            }
            guard count > 0 else { throw SystemError("write of a child's input") }
            written += count
        }
        lseek(descriptor, 0, SEEK_SET)
    }

    deinit {
        close(descriptor)
    }
}

/// A descriptor that is closed once, with this object at the latest.
final class OwnedDescriptor: Sendable {
    let number: Int32
    private let isOpen = Locked(true)

    init(_ number: Int32) {
        self.number = number
    }

    deinit {
        close()
    }

    func close() {
        isOpen.withLock { isOpen in
            if isOpen { Glibc.close(number) }
            isOpen = false
        }
    }
}

/// How many descriptors this process has of a folder and of folders below it.
package func folderDescriptorCount(below path: String) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { number in
        let link = "/proc/self/fd/\(number)"
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
        guard target.map({ $0 == path || $0.hasPrefix(path + "/") }) ?? false else { return false }
        var status = stat()
        return stat(link, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}

/// Copies of the descriptors of all files below a folder, as a program has them that another thread is starting: from
/// fork(2) until execve(2) closes them.
package final class DescriptorCopies {
    private let copies: [OwnedDescriptor]

    package init(below path: String) throws {
        let numbers = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
        copies = numbers.compactMap { number in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
            guard let target, target.hasPrefix(path + "/") else { return nil }
            let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
            return copy < 0 ? nil : OwnedDescriptor(copy)
        }
        guard !copies.isEmpty else { throw SystemError("no open file below \(path)") }
    }
}
