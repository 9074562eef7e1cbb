import Glibc
import SpateExtendedAttributes

/// The kernel's id of one boot of the machine. Bytes written under the same boot survive the crash of a process, synced
/// or not: the kernel has them.
package struct BootID: Hashable, Sendable {
    package let text: String

    /// In the kernel's form: lower-case hexadecimal digits, grouped 8-4-4-4-12.
    package init?(_ text: String) {
        let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        let (digits, letters) = (UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"))
        guard groups.map(\.count) == [8, 4, 4, 4, 12],
            groups.joined().allSatisfy({ digits.contains($0) || letters.contains($0) })
        else { return nil }
        self.text = text
    }

    /// The present boot, read once. If it is nil, no byte past a durable mark is trusted.
    package static let current: BootID? = {
        let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            guard let count = try? SystemCall.run({ read(descriptor, buffer.baseAddress, buffer.count) }) else {
                return nil
            }
            return BootID(String(decoding: buffer[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
        }
    }()
}
