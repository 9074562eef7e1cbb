import ExtendedAttributes
import Glibc

/// What the disk would not do, to which file, and why.
package struct FileSystemError: Error, Hashable, CustomStringConvertible {
    /// What was being done: the verb of the sentence.
    package enum Operation: String, Sendable {
        case create, open, lock, inspect, list, read, write, reserve, truncate, sync, record, rename, delete
    }

    package enum Kind: Hashable, Sendable {
        /// No room: on the disk, in the quota, or in what a file may measure.
        case diskFull
        /// Another process, or another download, holds the file.
        case inUse
        /// Something that is not to be overwritten has the name.
        case alreadyExists
        /// A link, folder, pipe or the like where a file was expected.
        case notRegularFile
        case permissionDenied
        case readOnly
        case nameTooLong
        /// A folder or file is not there.
        case missing
        /// Someone changed, moved or deleted the file meanwhile.
        case changed
        case other
    }

    package let operation: Operation
    package let path: String
    /// The error number. Where no call failed, the one that says the same.
    package let code: CInt

    package init(_ operation: Operation, _ path: String, code: CInt) {
        self.operation = operation
        self.path = path
        self.code = code
    }

    package var kind: Kind {
        switch code {
        case ENOSPC, EDQUOT, EFBIG: .diskFull
        // Linux has one number for the two names of the first.
        case EWOULDBLOCK, EBUSY, ETXTBSY: .inUse
        case EEXIST, ENOTEMPTY: .alreadyExists
        // A rename that meets a folder says so with this one.
        case EISDIR: operation == .rename ? .alreadyExists : .notRegularFile
        case ELOOP, ENXIO, EMLINK: .notRegularFile
        case EACCES, EPERM: .permissionDenied
        case EROFS: .readOnly
        case ENAMETOOLONG: .nameTooLong
        case ENOENT: .missing
        case ESTALE: .changed
        default: .other
        }
    }

    package var description: String {
        let what = "cannot \(operation.rawValue) \(path)"
        let reason = ErrorNumber(code: code).text
        return switch kind {
        case .diskFull: "\(what): there is no room for it (\(reason))"
        case .inUse: "\(what): another download or program is using it (\(reason))"
        case .alreadyExists: "\(what): something that is not to be overwritten is there (\(reason))"
        case .notRegularFile: "\(what): a link, a folder or something else that is no plain file is there (\(reason))"
        case .permissionDenied: "\(what): that is not allowed (\(reason))"
        case .readOnly: "\(what): nothing can be written there (\(reason))"
        case .nameTooLong: "\(what): the name is too long (\(reason))"
        case .missing: "\(what): it is not there (\(reason))"
        case .changed: "\(what): somebody changed, moved or deleted it meanwhile (\(reason))"
        case .other: "\(what): \(reason)"
        }
    }
}
