import CTestSystem
import Foundation

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
