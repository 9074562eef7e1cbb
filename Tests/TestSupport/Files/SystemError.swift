import Foundation

/// A system call that failed in the test's own machinery, with what it was doing and what the system said.
package struct SystemError: Error, CustomStringConvertible {
    package let call: String
    package let number: Int32

    /// Takes the number from `errno`, so make it right after the call.
    package init(_ call: String, number: Int32 = errno) {
        self.call = call
        self.number = number
    }

    package var description: String { "\(call): \(String(cString: strerror(number)))" }
}
