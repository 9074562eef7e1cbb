import Glibc

/// Why an extended attribute could not be read, set or removed.
package struct ExtendedAttributeError: Error, Equatable, CustomStringConvertible {
    package enum Operation: String, Sendable {
        case get = "read"
        case set = "set"
        case remove = "remove"
        case list = "list"
    }

    package enum Kind: Sendable {
        /// The file system does not support extended attributes, or not for this file.
        case unsupported
        /// The value is too large, or the file system has no room for another attribute of this file.
        case doesNotFit
        case other
    }

    package let operation: Operation
    /// The attribute's name; empty for `list`.
    package let name: String
    package let code: CInt

    package init(operation: Operation, name: String, code: CInt) {
        self.operation = operation
        self.name = name
        self.code = code
    }

    package var kind: Kind {
        switch code {
        // The same number on Linux, but not elsewhere.
        case ENOTSUP, EOPNOTSUPP: .unsupported
        case ENOSPC, E2BIG, ERANGE, EDQUOT: .doesNotFit
        default: .other
        }
    }

    package var description: String {
        let what = name.isEmpty ? "the extended attributes" : "the extended attribute \(name)"
        let reason = ErrorNumber(code: code).text
        return switch kind {
        case .unsupported: "cannot \(operation.rawValue) \(what): the file system does not support it (\(reason))"
        case .doesNotFit: "cannot \(operation.rawValue) \(what): it does not fit (\(reason))"
        case .other: "cannot \(operation.rawValue) \(what): \(reason)"
        }
    }
}
