import CTestSystem
import Foundation

/// A pipe neither end of which is inherited by chance.
struct Pipe: Sendable {
    let reading: OwnedDescriptor
    let writing: OwnedDescriptor

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard spate_test_pipe(&ends) == 0 else { throw SystemError("pipe") }
        reading = OwnedDescriptor(ends[0])
        writing = OwnedDescriptor(ends[1])
    }

    /// Hands over everything until nobody can write any more.
    func readToEnd(_ receive: ([UInt8]) -> Void) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(reading.number, &buffer, buffer.count)
            if count > 0 {
                receive(Array(buffer[..<count]))
            } else if count == 0 || errno != EINTR {
                return
            }
        }
    }
}
