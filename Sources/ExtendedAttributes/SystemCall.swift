public import Glibc

/// Runs system calls: returns their result, or throws their error number.
public enum SystemCall {
    /// Runs `call`, and repeats it after EINTR. A negative result means failure.
    // Public, because the compiler does not inline `package` functions into other modules: each call there would run
    // unspecialised code.
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

/// `errno` as an error. Callers turn it into an error that people can read.
public struct ErrorNumber: Error, Equatable {
    public let code: CInt

    @inlinable
    public init(code: CInt) {
        self.code = code
    }

    /// The C library's description.
    package var text: String {
        // strerror is thread-safe since glibc 2.32.
        String(cString: strerror(code))
    }
}
