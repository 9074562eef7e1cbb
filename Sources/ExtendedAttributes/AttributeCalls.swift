import CSpateSystem
import Glibc

/// The system calls. Only this file knows the platform.
///
/// Linux requires names that start with `user.`, and reports ENODATA for a missing attribute.
// `withCString` lends the string's bytes. Passing a String directly would copy it to the heap.
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

    /// Fails with EEXIST if the attribute exists.
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
