import Glibc

/// Why an extended attribute could not be read, set or removed.
package enum AttributeFailure: Sendable {
    /// The file system does not support extended attributes, or not for this file.
    case unsupported
    /// The value is too large, or the file system has no room for another attribute of this file.
    case doesNotFit
    case other
}

extension ErrorNumber {
    /// What the error of a call on an extended attribute means.
    package var attributeFailure: AttributeFailure {
        switch code {
        // The same number on Linux, but not elsewhere.
        case ENOTSUP, EOPNOTSUPP: .unsupported
        case ENOSPC, E2BIG, ERANGE, EDQUOT: .doesNotFit
        default: .other
        }
    }
}
