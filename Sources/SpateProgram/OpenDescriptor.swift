import Glibc

/// A descriptor that is closed when nobody holds it any more, but for standard input, which is not ours to close.
final class OpenDescriptor: Sendable {
    let number: Int32

    init(_ number: Int32) {
        self.number = number
    }

    deinit {
        if number != STDIN_FILENO { close(number) }
    }
}
