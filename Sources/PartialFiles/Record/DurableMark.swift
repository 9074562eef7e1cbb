import ExtendedAttributes
import Glibc
import HTTPResumption

/// How many bytes of a partial file have been synced, and under which boot of the machine the rest was written.
package struct DurableMark: Hashable, Sendable, CustomStringConvertible {
    package var offset: Int64
    /// nil if it is not known; then it equals no other boot.
    package var boot: BootID?

    package init(offset: Int64, boot: BootID?) {
        self.offset = offset
        self.boot = boot
    }

    /// Parses `description`, strictly.
    package init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.count == 2, let offset = Int64(strictDecimal: parts[0]) else { return nil }
        if parts[1].elementsEqual("-".utf8) {
            self.init(offset: offset, boot: nil)
        } else if let boot = String(parts[1]).flatMap({ BootID($0) }) {
            self.init(offset: offset, boot: boot)
        } else {
            return nil
        }
    }

    /// `OFFSET BOOTID`.
    package var description: String { String(joining: String(offset), " ", boot?.text ?? "-") }

    /// How many bytes of a file of `size` bytes can be trusted under the boot `current`. All of them if the machine has
    /// not been restarted since, for the kernel has them; else those up to the mark; none if the file is shorter.
    package func trustedLength(of size: Int64, under current: BootID?) -> Int64 {
        if size < offset { return 0 }
        return boot != nil && boot == current ? size : offset
    }
}

/// The kernel's id of one boot of the machine. Bytes written under the same boot survived the crash of a process, synced
/// or not: the kernel has them.
package struct BootID: Hashable, Sendable {
    package let text: String

    /// In the kernel's form: lower-case hexadecimal digits, grouped 8-4-4-4-12.
    package init?(_ text: String) {
        guard text.utf8.count == 36 else { return nil }
        for (index, byte) in text.utf8.enumerated() {
            switch (index, byte) {
            case (8, UInt8(ascii: "-")), (13, UInt8(ascii: "-")), (18, UInt8(ascii: "-")), (23, UInt8(ascii: "-")):
                continue
            case (8, _), (13, _), (18, _), (23, _): return nil
            case (_, UInt8(ascii: "0")...UInt8(ascii: "9")), (_, UInt8(ascii: "a")...UInt8(ascii: "f")): continue
            default: return nil
            }
        }
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
