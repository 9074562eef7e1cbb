import Glibc
import SpateExtendedAttributes
import Testing

@Suite struct AttributeFailureTests {
    @Test(arguments: [
        (ENOTSUP, AttributeFailure.unsupported), (EOPNOTSUPP, .unsupported), (ENOSPC, .doesNotFit),
        (E2BIG, .doesNotFit), (ERANGE, .doesNotFit), (EDQUOT, .doesNotFit), (EPERM, .other), (EACCES, .other),
        (EROFS, .other), (EIO, .other), (ENODATA, .other),
    ])
    func theErrorNumberDeterminesTheFailure(code: CInt, failure: AttributeFailure) {
        #expect(ErrorNumber(code: code).attributeFailure == failure)
    }
}
