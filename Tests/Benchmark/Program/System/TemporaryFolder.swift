import Foundation

/// A new, empty folder, which goes away with this object, whatever is in it.
final class TemporaryFolder: Sendable {
    let path: String

    init(in parent: String = NSTemporaryDirectory()) throws {
        var template = Array((parent as NSString).appendingPathComponent("spate-benchmark-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError("mkdtemp in \(parent)") }
        path = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func path(_ name: String) -> String { path + "/" + name }

    func url(_ name: String) -> URL { URL(fileURLWithPath: path(name)) }
}

/// A system call that failed, with what the system said.
struct SystemError: Error, CustomStringConvertible {
    let description: String

    /// Takes the number from `errno`, so make it right after the call.
    init(_ call: String, number: Int32 = errno) {
        description = "\(call): \(String(cString: strerror(number)))"
    }
}

/// A program did not do its work.
struct WorkFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
