import Glibc

/// Closes its file descriptor when it is released. Standard input stays open.
package final class OpenDescriptor: Sendable {
    package let number: Int32

    package init(_ number: Int32) {
        self.number = number
    }

    deinit {
        if number != STDIN_FILENO { close(number) }
    }
}
