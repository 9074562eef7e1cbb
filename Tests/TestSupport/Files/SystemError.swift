import CSpateSystem
import Foundation

/// A system call that failed in the test's own machinery, with what it was doing and what the system said.
package struct SystemError: Error, CustomStringConvertible {
    package let call: String
    package let number: Int32

    /// Takes the number from `errno`, so make it right after the call.
    package init(_ call: String, number: Int32 = errno) {
        self.call = call
        self.number = number
    }

    package var description: String { "\(call): \(String(cString: strerror(number)))" }
}

/// The extended attributes of a file, as `getfattr -d` shows them.
package func attributes(of path: String) throws -> [String: String] {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { throw CocoaError(.fileReadNoSuchFile) }
    defer { close(descriptor) }
    var names = [CChar](repeating: 0, count: 4096)
    let length = flistxattr(descriptor, &names, names.count)
    guard length >= 0 else { throw CocoaError(.fileReadUnknown) }
    var values: [String: String] = [:]
    for name in names[..<length].split(separator: 0) {
        let name = String(decoding: name.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        var value = [UInt8](repeating: 0, count: 4096)
        let count = fgetxattr(descriptor, name, &value, value.count)
        if count >= 0 { values[name] = String(decoding: value[..<count], as: UTF8.self) }
    }
    return values
}
