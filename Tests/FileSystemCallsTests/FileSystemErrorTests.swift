import Glibc
import SpateFilePaths
import SpateFileSystemCalls
import Testing

@Suite struct FileSystemErrorTests {
    @Test(arguments: [
        (FileSystemError.Operation.write, ENOSPC, FileSystemError.Kind.diskFull),
        (.write, EDQUOT, .diskFull), (.write, EFBIG, .diskFull), (.reserve, ENOSPC, .diskFull),
        (.lock, EWOULDBLOCK, .inUse), (.lock, EAGAIN, .inUse), (.open, EBUSY, .inUse), (.open, ETXTBSY, .inUse),
        (.create, EEXIST, .alreadyExists), (.rename, EISDIR, .alreadyExists), (.rename, ENOTEMPTY, .alreadyExists),
        (.open, EISDIR, .notRegularFile), (.open, ELOOP, .notRegularFile), (.open, ENXIO, .notRegularFile),
        (.open, EMLINK, .notRegularFile), (.open, EACCES, .permissionDenied), (.open, EPERM, .permissionDenied),
        (.create, EROFS, .readOnly), (.create, ENAMETOOLONG, .nameTooLong), (.open, ENOENT, .missing),
        (.open, ESTALE, .changed), (.read, EIO, .other), (.create, ENOTDIR, .notFolder),
        (.open, EMFILE, .tooManyOpenFiles), (.create, ENFILE, .tooManyOpenFiles), (.create, EINVAL, .other),
    ])
    func theErrorNumberDecidesTheKind(operation: FileSystemError.Operation, code: CInt, kind: FileSystemError.Kind) {
        let error = FileSystemError(operation, "/dir/file", code: code)
        #expect(error.kind == kind)
        #expect(error.description.hasPrefix("cannot \(operation.rawValue) /dir/file: "))
        #expect(error.description.contains(String(cString: strerror(code))))
    }

    /// Everything else is trouble, which nobody may take for "not there" or "not Spate's".
    @Test func onlyWhatANameLeadsToIsAnAnswer() {
        let answers: [CInt] = [ENOENT, ENOTDIR, ELOOP, ENXIO, ENODEV, EISDIR, EMLINK, ENAMETOOLONG]
        let trouble: [CInt] = [
            EMFILE, ENFILE, ENOMEM, EIO, EACCES, EPERM, ESTALE, EROFS, ENOSPC, EBUSY, EINTR, ENOSYS, EINVAL, ETIMEDOUT,
        ]
        for code in answers { #expect(FileSystemError(.open, "/d/x", code: code).isAnswer, "\(code)") }
        for code in trouble { #expect(!FileSystemError(.open, "/d/x", code: code).isAnswer, "\(code)") }
    }

    @Test func theTextIsReadable() {
        #expect(
            FileSystemError(.write, "/d/x.part", code: ENOSPC).description
                == "cannot write /d/x.part: there is no room for it (No space left on device)"
        )
        #expect(FileSystemError(.read, "/d/x", code: EIO).description == "cannot read /d/x: Input/output error")
    }
}
