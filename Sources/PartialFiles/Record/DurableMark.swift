import SpateFilePaths
package import SpateFileSystemCalls
package import SpateHTTPResumption
import SpateHTTPSyntax

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
        if let offset = Int64(strictDecimal: synced.span) {
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
