import ExtendedAttributes
import Glibc
package import HTTPResumption
import HTTPSyntax

/// The synced bytes of a partial file, and the boot under which the rest was written.
package struct DurableMark: Hashable, Sendable, CustomStringConvertible {
    package let filled: FilledRanges
    /// nil if unknown; then it equals no other boot.
    package let boot: BootID?
    /// Whether the text lists the ranges; else it is the offset of the first gap.
    ///
    /// A file that may have gaps needs the list. Older versions without gaps would take all bytes for filled. They
    /// cannot parse the list, and so trust nothing.
    package let isList: Bool

    /// - Parameter isList: if false, only the bytes before the first gap count.
    package init(_ filled: FilledRanges, boot: BootID?, isList: Bool) {
        self.filled = isList ? filled : FilledRanges(upTo: filled.front)
        self.boot = boot
        self.isList = isList
    }

    /// Parses `description`, strictly.
    package init?(_ text: String) {
        guard let blank = text.utf8.lastIndex(of: UInt8(ascii: " ")) else { return nil }
        let (synced, name) = (text[..<blank].utf8, String(text[text.utf8.index(after: blank)...]))
        let boot = BootID(name)
        guard boot != nil || name.utf8.elementsEqual("-".utf8) else { return nil }
        if let offset = Int64(strictDecimal: synced) {
            self.init(FilledRanges(upTo: offset), boot: boot, isList: false)
        } else if let filled = FilledRanges(String(text[..<blank])) {
            self.init(filled, boot: boot, isList: true)
        } else {
            return nil
        }
    }

    /// `OFFSET BOOTID`, or `0-100 200-300 BOOTID`.
    package var description: String {
        String(joining: isList ? filled.text : String(filled.front), " ", boot?.text ?? "-")
    }

    /// The mark, reduced to the bytes in `kept`.
    func cut(to kept: FilledRanges, isList: Bool) -> DurableMark {
        DurableMark(filled.intersection(kept), boot: boot, isList: isList)
    }
}

/// The kernel's id of one boot of the machine. Bytes written under the same boot survive the crash of a process, synced
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
