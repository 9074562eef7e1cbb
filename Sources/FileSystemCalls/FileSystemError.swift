import Glibc
import SpateExtendedAttributes
package import SpateFilePaths

/// A failed operation on a file or folder.
package struct FileSystemError: Error, Hashable, CustomStringConvertible {
    /// The operation: the verb of the sentence.
    package enum Operation: String, Sendable {
        case create, open, lock, inspect, find, list, read, write, reserve, truncate, sync, record, change, rename,
            delete
    }

    package enum Kind: Hashable, Sendable {
        /// No space on the disk, a full quota, or a file that would exceed its size limit.
        case diskFull
        /// Another process or download has the file locked.
        case inUse
        /// Something that must not be overwritten has the name.
        case alreadyExists
        /// A link, folder or pipe where a file was expected.
        case notRegularFile
        /// A file where a folder was expected.
        case notFolder
        case permissionDenied
        case readOnly
        case nameTooLong
        /// The file, or its folder, does not exist.
        case missing
        /// The file was changed, moved or deleted meanwhile; or it was changed since it was finished, and so is not deleted.
        case changed
        /// The process or the system has reached its limit of open files.
        case tooManyOpenFiles
        case other
    }

    package let operation: Operation
    package let path: FilePath
    /// The error number; if no call failed, the number with the same meaning.
    package let code: CInt

    package init(_ operation: Operation, _ path: FilePath, code: CInt) {
        self.operation = operation
        self.path = path
        self.code = code
    }

    package var kind: Kind {
        switch code {
        case ENOSPC, EDQUOT, EFBIG: .diskFull
        // On Linux, EWOULDBLOCK is EAGAIN.
        case EWOULDBLOCK, EBUSY, ETXTBSY: .inUse
        case EEXIST, ENOTEMPTY: .alreadyExists
        // A rename fails with EISDIR if the new name is a folder's.
        case EISDIR: operation == .rename ? .alreadyExists : .notRegularFile
        case ELOOP, ENXIO, ENODEV, EMLINK: .notRegularFile
        case ENOTDIR: .notFolder
        case EACCES, EPERM: .permissionDenied
        case EROFS: .readOnly
        case ENAMETOOLONG: .nameTooLong
        case ENOENT: .missing
        case ESTALE: .changed
        case EMFILE, ENFILE: .tooManyOpenFiles
        default: .other
        }
    }

    /// Whether the error is an answer about the name: nothing is there, or nothing that Spate made. Any other error is
    /// trouble of the process, the system or the disk, and says nothing about the file: report it, and never take it for
    /// an answer.
    package var isAnswer: Bool {
        switch kind {
        case .missing, .notRegularFile, .notFolder, .nameTooLong: true
        case .diskFull, .inUse, .alreadyExists, .permissionDenied, .readOnly, .changed, .tooManyOpenFiles, .other: false
        }
    }

    package var description: String {
        let what = "cannot \(operation.rawValue) \(path)"
        let reason = ErrorNumber(code: code).text
        return switch kind {
        case .diskFull: "\(what): there is no room for it (\(reason))"
        case .inUse: "\(what): another download or program is using it (\(reason))"
        case .alreadyExists: "\(what): a file or folder with this name already exists (\(reason))"
        case .notRegularFile: "\(what): it is a link, a folder or something else that is not a regular file (\(reason))"
        case .notFolder: "\(what): it is a file, not a folder (\(reason))"
        case .permissionDenied: "\(what): that is not allowed (\(reason))"
        case .readOnly: "\(what): nothing can be written there (\(reason))"
        case .nameTooLong: "\(what): the name is too long (\(reason))"
        case .missing: "\(what): it does not exist (\(reason))"
        case .changed where operation == .delete: "\(what): it was changed since it was finished"
        case .changed: "\(what): it was changed, moved or deleted meanwhile (\(reason))"
        case .tooManyOpenFiles: "\(what): too many files and connections are open (\(reason))"
        case .other: "\(what): \(reason)"
        }
    }
}

extension SystemCall {
    /// Runs `call` like `run(_:)`, and throws an error that says what failed.
    @discardableResult
    static func run<Value: SignedInteger>(
        _ operation: FileSystemError.Operation,
        _ path: @autoclosure () -> FilePath,
        _ call: () -> Value
    ) throws(FileSystemError) -> Value {
        do throws(ErrorNumber) {
            return try run(call)
        } catch {
            throw FileSystemError(operation, path(), code: error.code)
        }
    }
}
