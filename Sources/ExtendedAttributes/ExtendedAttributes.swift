import Glibc

/// The extended attributes of one open file.
///
/// The descriptor stays the caller's, who keeps it open for as long as this value is used. Never a path: what is read
/// here belongs to the very file that is being read or written.
package struct ExtendedAttributes: Sendable {
    /// What one call reads, from the stack, without asking for the size first. Values here are short, so a second call
    /// is rare.
    private static let stackBytes = 1_024
    /// Linux gives no value, and no list of names, more than this.
    private static let mostBytes = 65_536

    private let descriptor: CInt

    package init(descriptor: CInt) {
        self.descriptor = descriptor
    }

    /// The value under `name`, or nil where there is none.
    package func value(of name: String) throws(ExtendedAttributeError) -> [UInt8]? {
        try read(.get, name) { Array($0) }
    }

    /// The value under `name` as text, or nil where there is none. Bytes that are not UTF-8 are none: mended, they
    /// would be another text.
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

    /// Sets the attribute where there is none of that name, in one step; false where there is, which then stays.
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

    /// Removes the attribute. One that is not there is none to remove, and no error.
    package func remove(_ name: String) throws(ExtendedAttributeError) {
        do throws(ErrorNumber) {
            try AttributeCalls.remove(descriptor, name)
        } catch  where error.code == AttributeCalls.missing {
            return
        } catch {
            throw ExtendedAttributeError(operation: .remove, name: name, code: error.code)
        }
    }

    /// The names of all attributes that may be read, in the file system's order.
    package func names() throws(ExtendedAttributeError) -> [String] {
        try read(.list, "") { bytes in
            bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        } ?? []
    }

    /// Gives `body` the bytes that a get or list call answers. ERANGE is asked again with room for the largest answer
    /// there can be, so a value that grows between the two calls fits as well.
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
            } catch  where error.code == ERANGE && capacity < Self.mostBytes {
                capacity = Self.mostBytes
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
