import Glibc

/// The extended attributes of one open file.
///
/// The caller owns the descriptor and keeps it open while it uses this value. Another file can take over a path, but
/// not a descriptor.
package struct ExtendedAttributes: Sendable {
    /// The size of the first buffer, on the stack. Values are short, so a second call is rare.
    private static let stackBytes = 1_024
    /// The largest value, or list of names, on Linux.
    private static let maximumBytes = 65_536

    private let descriptor: CInt

    package init(descriptor: CInt) {
        self.descriptor = descriptor
    }

    /// The value of an attribute; nil if there is none.
    package func value(of name: String) throws(ExtendedAttributeError) -> [UInt8]? {
        try read(.get, name) { Array($0) }
    }

    /// The value of an attribute as text; nil if there is none, or if it is not UTF-8.
    package func text(of name: String) throws(ExtendedAttributeError) -> String? {
        try read(.get, name) { String(validating: $0, as: UTF8.self) } ?? nil
    }

    package func set(_ name: String, to value: UnsafeRawBufferPointer) throws(ExtendedAttributeError) {
        do throws(ErrorNumber) {
            try AttributeCalls.set(descriptor, name, value)
        } catch {
            throw ExtendedAttributeError(operation: .set, name: name, code: error.code)
        }
    }

    package func set(_ name: String, to text: String) throws(ExtendedAttributeError) {
        var text = text
        let outcome = text.withUTF8 { bytes in
            Result { () throws(ExtendedAttributeError) in try set(name, to: UnsafeRawBufferPointer(bytes)) }
        }
        try outcome.get()
    }

    /// Sets the attribute unless it exists, atomically. Returns false if it exists.
    package func add(_ name: String, _ text: String) throws(ExtendedAttributeError) -> Bool {
        var text = text
        let outcome = text.withUTF8 { bytes in
            Result { () throws(ErrorNumber) in
                try AttributeCalls.add(descriptor, name, UnsafeRawBufferPointer(bytes))
            }
        }
        do throws(ErrorNumber) {
            try outcome.get()
            return true
        } catch  where error.code == EEXIST {
            return false
        } catch {
            throw ExtendedAttributeError(operation: .set, name: name, code: error.code)
        }
    }

    /// Removes the attribute. Does nothing if there is none.
    package func remove(_ name: String) throws(ExtendedAttributeError) {
        do throws(ErrorNumber) {
            try AttributeCalls.remove(descriptor, name)
        } catch  where error.code == AttributeCalls.missing {
            return
        } catch {
            throw ExtendedAttributeError(operation: .remove, name: name, code: error.code)
        }
    }

    /// The names of all readable attributes, in the file system's order.
    package func names() throws(ExtendedAttributeError) -> [String] {
        try read(.list, "") { bytes in
            bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        } ?? []
    }

    /// Calls `body` with the bytes that a get or list call returns; nil if the attribute is missing.
    ///
    /// After ERANGE it calls again with the largest possible buffer, so that a value that grew in between fits, too.
    private func read<Value>(
        _ operation: ExtendedAttributeError.Operation,
        _ name: String,
        _ body: (UnsafeRawBufferPointer) -> Value
    ) throws(ExtendedAttributeError) -> Value? {
        var capacity = Self.stackBytes
        while true {
            do throws(ErrorNumber) {
                return try withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 1) {
                    buffer throws(ErrorNumber) in
                    let count = try call(operation, name, buffer)
                    return body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                }
            } catch  where error.code == AttributeCalls.missing {
                return nil
            } catch  where error.code == ERANGE && capacity < Self.maximumBytes {
                capacity = Self.maximumBytes
            } catch {
                throw ExtendedAttributeError(operation: operation, name: name, code: error.code)
            }
        }
    }

    private func call(
        _ operation: ExtendedAttributeError.Operation,
        _ name: String,
        _ buffer: UnsafeMutableRawBufferPointer
    ) throws(ErrorNumber) -> Int {
        operation == .list
            ? try AttributeCalls.list(descriptor, buffer) : try AttributeCalls.get(descriptor, name, buffer)
    }
}
