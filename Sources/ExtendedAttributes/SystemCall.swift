import Glibc

/// A system call's outcome: what it returned, or the error number that it left.
package enum SystemCall {
    /// Runs `call`, again when a signal interrupted it. Below zero means failed, as the C library has it.
    @inline(__always)
    package static func run<Value: SignedInteger>(_ call: () -> Value) throws(ErrorNumber) -> Value {
        while true {
            let value = call()
            if value >= 0 { return value }
            let code = errno
            if code != EINTR { throw ErrorNumber(code: code) }
        }
    }
}

/// `errno` as an error, for callers that turn it into one that a person can read.
package struct ErrorNumber: Error, Equatable {
    package let code: CInt

    package init(code: CInt) {
        self.code = code
    }

    /// The C library's sentence for it.
    package var text: String {
        // strerror is safe between threads in every glibc since 2.32, and its strings for known codes are constants.
        String(cString: strerror(code))
    }
}
