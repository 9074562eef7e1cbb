import Foundation
import Locking

/// A descriptor that is closed once, with this object at the latest.
final class OwnedDescriptor: Sendable {
    let number: Int32
    private let isOpen = Locked(true)

    init(_ number: Int32) {
        self.number = number
    }

    deinit {
        close()
    }

    func close() {
        isOpen.withLock { isOpen in
            if isOpen { Glibc.close(number) }
            isOpen = false
        }
    }
}
