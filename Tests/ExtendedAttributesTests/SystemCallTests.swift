import Glibc
import SpateExtendedAttributes
import Testing

@Suite struct SystemCallTests {
    @Test func anInterruptedCallIsRepeated() throws {
        var calls = 0
        let value = try SystemCall.run {
            calls += 1
            if calls < 4 {
                errno = EINTR
                return -1
            }
            return 7
        }
        #expect(value == 7)
        #expect(calls == 4)
    }

    @Test func aFailedCallThrowsItsErrorNumber() {
        #expect(throws: ErrorNumber(code: EIO)) {
            try SystemCall.run {
                errno = EIO
                return -1
            }
        }
        #expect(ErrorNumber(code: ENOSPC).text == "No space left on device")
    }
}
