/// How much of a partial file is known to be on the medium, and under which run of the kernel the rest was written.
package struct DurableMark: Hashable, Sendable, CustomStringConvertible {
    package var offset: Int64
    /// nil where the kernel did not tell; it equals none, not even another nil.
    package var boot: BootID?

    package init(offset: Int64, boot: BootID?) {
        self.offset = offset
        self.boot = boot
    }

    /// Reads `text` back, strictly.
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

    /// How many bytes of a file of `size` bytes may be trusted under the boot id `current`: all of them where the
    /// kernel that took them still runs; else those up to the mark; and none where even of these some are missing.
    package func trustedLength(of size: Int64, under current: BootID?) -> Int64 {
        if size < offset { return 0 }
        return boot != nil && boot == current ? size : offset
    }
}

extension Int64 {
    /// A number as it is written here and no other way: digits alone, no leading zero, at most what fits.
    init?(strictDecimal digits: some Collection<UInt8>) {
        guard (1...19).contains(digits.count), digits.count == 1 || digits.first != UInt8(ascii: "0") else {
            return nil
        }
        var value: Int64 = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            let (tens, tensOverflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflow) = tens.addingReportingOverflow(Int64(digit - UInt8(ascii: "0")))
            if tensOverflow || overflow { return nil }
            value = sum
        }
        self = value
    }
}
