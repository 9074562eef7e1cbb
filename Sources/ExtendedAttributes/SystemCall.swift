public import Glibc

/// A system call's outcome: what it returned, or the error number that it left.
public enum SystemCall {
    /// Runs `call`, again when a signal interrupted it. Below zero means failed, as the C library has it.
    // Public, as the types around it are, because the compiler takes no `package` body over into another module: there
    // each call would go through code that works for any type of number.
    @inlinable @inline(__always)
    public static func run<Value: SignedInteger>(_ call: () -> Value) throws(ErrorNumber) -> Value {
        while true {
            let value = call()
            if value >= 0 { return value }
            let code = errno
            if code != EINTR { throw ErrorNumber(code: code) }
        }
    }
}

/// `errno` as an error, for callers that turn it into one that a person can read.
public struct ErrorNumber: Error, Equatable {
    public let code: CInt

    @inlinable
    public init(code: CInt) {
        self.code = code
    }

    /// The C library's sentence for it.
    package var text: String {
        // strerror is safe between threads in every glibc since 2.32, and its strings for known codes are constants.
        String(cString: strerror(code))
    }
}
