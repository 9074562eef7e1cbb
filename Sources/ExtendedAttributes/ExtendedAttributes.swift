import CSpateSystem
import Glibc

/// The extended attributes of one open file. Linux requires names that start with `user.`.
///
/// The caller owns the descriptor and keeps it open while it uses this value. Another file can take over a path, but
/// not a descriptor.
// `withCString` lends the string's bytes. Passing a String directly would copy it to the heap.
package struct ExtendedAttributes: Sendable {
    /// The size of the first buffer, on the stack. Values are short, so a second call is rare.
    private static let stackBytes = 1_024
    /// The largest value, or list of names, on Linux.
    private static let maximumBytes = 65_536

    private let descriptor: CInt

    package init(descriptor: CInt) {
        self.descriptor = descriptor
    }

    /// The value of an attribute as text; nil if there is none, or if it is not UTF-8.
    package func text(of name: String) throws(ErrorNumber) -> String? {
        try read { buffer in
            name.withCString { fgetxattr(descriptor, $0, buffer.baseAddress, buffer.count) }
        } as: { bytes in
            String(validating: bytes, as: UTF8.self)
        } ?? nil
    }

    package func set(_ name: String, to text: String) throws(ErrorNumber) {
        try set(name, text, flags: 0)
    }

    /// Sets the attribute unless it exists, atomically. Returns false if it exists.
    package func add(_ name: String, _ text: String) throws(ErrorNumber) -> Bool {
        do throws(ErrorNumber) {
            try set(name, text, flags: CInt(XATTR_CREATE))
            return true
        } catch  where error.code == EEXIST {
            return false
        }
    }

    private func set(_ name: String, _ text: String, flags: CInt) throws(ErrorNumber) {
        var text = text
        _ = try SystemCall.run {
            name.withCString { name in
                text.withUTF8 { fsetxattr(descriptor, name, $0.baseAddress, $0.count, flags) }
            }
        }
    }

    /// Removes the attribute. Does nothing if there is none.
    package func remove(_ name: String) throws(ErrorNumber) {
        do throws(ErrorNumber) {
            _ = try SystemCall.run { name.withCString { fremovexattr(descriptor, $0) } }
        } catch  where error.code == ENODATA {
            return
        }
    }

    /// The names of all readable attributes, in the file system's order.
    package func names() throws(ErrorNumber) -> [String] {
        try read { buffer in
            flistxattr(descriptor, buffer.assumingMemoryBound(to: CChar.self).baseAddress, buffer.count)
        } as: { bytes in
            bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        } ?? []
    }

    /// Calls `body` with the bytes that `call` returns; nil if the attribute is missing.
    ///
    /// After ERANGE it calls again with the largest possible buffer, so that a value that grew in between fits, too.
    private func read<Value>(
        _ call: (UnsafeMutableRawBufferPointer) -> Int,
        as body: (UnsafeRawBufferPointer) -> Value
    ) throws(ErrorNumber) -> Value? {
        var capacity = Self.stackBytes
        while true {
            do throws(ErrorNumber) {
                return try withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 1) {
                    buffer throws(ErrorNumber) in
                    let count = try SystemCall.run { call(buffer) }
                    return body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                }
            } catch  where error.code == ENODATA {
                return nil
            } catch  where error.code == ERANGE && capacity < Self.maximumBytes {
                capacity = Self.maximumBytes
            }
        }
    }
}
