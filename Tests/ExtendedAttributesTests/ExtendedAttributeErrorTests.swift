import Glibc
import SpateExtendedAttributes
import Testing

@Suite struct ExtendedAttributeErrorTests {
    @Test(arguments: [
        (ENOTSUP, ExtendedAttributeError.Kind.unsupported), (EOPNOTSUPP, .unsupported), (ENOSPC, .doesNotFit),
        (E2BIG, .doesNotFit), (ERANGE, .doesNotFit), (EDQUOT, .doesNotFit), (EPERM, .other), (EACCES, .other),
        (EROFS, .other), (EIO, .other), (ENODATA, .other),
    ])
    func theErrorNumberDeterminesTheKind(code: CInt, kind: ExtendedAttributeError.Kind) {
        #expect(ExtendedAttributeError(operation: .set, name: "user.a", code: code).kind == kind)
    }

    @Test func theDescriptionNamesTheAttributeAndTheReason() {
        let full = ExtendedAttributeError(operation: .set, name: "user.a", code: ENOSPC)
        #expect(
            full.description
                == "cannot set the extended attribute user.a: it does not fit (No space left on device)"
        )
        let list = ExtendedAttributeError(operation: .list, name: "", code: EIO)
        #expect(list.description == "cannot list the extended attributes: Input/output error")
    }
}
