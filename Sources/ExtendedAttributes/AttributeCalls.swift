import CSystem
import Glibc

/// The system calls and nothing else: the only place that names them, and that knows the platform.
///
/// Linux wants names that start with `user.` and says ENODATA for a missing attribute.
// A String that is given to C as it is would be copied to the heap for it; `withCString` lends its own bytes.
enum AttributeCalls {
    static let missing = ENODATA

    static func get(
        _ descriptor: CInt,
        _ name: String,
        _ buffer: UnsafeMutableRawBufferPointer
    ) throws(ErrorNumber)
        -> Int
    {
        try SystemCall.run { name.withCString { fgetxattr(descriptor, $0, buffer.baseAddress, buffer.count) } }
    }

    static func set(_ descriptor: CInt, _ name: String, _ value: UnsafeRawBufferPointer) throws(ErrorNumber) {
        _ = try SystemCall.run {
            name.withCString { fsetxattr(descriptor, $0, value.baseAddress, value.count, 0) }
        }
    }

    /// EEXIST where there is one of that name.
    static func add(_ descriptor: CInt, _ name: String, _ value: UnsafeRawBufferPointer) throws(ErrorNumber) {
        _ = try SystemCall.run {
            name.withCString {
                fsetxattr(descriptor, $0, value.baseAddress, value.count, CInt(XATTR_CREATE))
            }
        }
    }

    static func remove(_ descriptor: CInt, _ name: String) throws(ErrorNumber) {
        _ = try SystemCall.run { name.withCString { fremovexattr(descriptor, $0) } }
    }

    static func list(_ descriptor: CInt, _ buffer: UnsafeMutableRawBufferPointer) throws(ErrorNumber) -> Int {
        let names = buffer.assumingMemoryBound(to: CChar.self)
        return try SystemCall.run { flistxattr(descriptor, names.baseAddress, names.count) }
    }
}
