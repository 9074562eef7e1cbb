import Glibc

/// The bytes of a file, in pages that copies share until one of them is written.
struct FileContent {
    static let pageSize = 4_096

    private(set) var size = 0
    /// nil where there is a hole. May go on beyond the end: those pages are reserved.
    private(set) var pages: [FilePage?] = []
    /// How many pages are not holes.
    private(set) var pageCount = 0

    static func pages(_ byteCount: Int) -> Int { (byteCount + pageSize - 1) / pageSize }

    /// Reads what there is, at most until the buffer is full.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        let end = min(size, offset + buffer.count)
        guard let target = buffer.baseAddress, offset < end else { return 0 }
        forEachPiece(offset..<end) { index, start, count, done in
            if index < pages.count, let page = pages[index] {
                memcpy(target + done, page.bytes + start, count)
            } else {
                memset(target + done, 0, count)
            }
        }
        return end - offset
    }

    /// Whether it has exactly these bytes.
    func isSame(as bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count == size, let source = bytes.baseAddress else { return bytes.count == size }
        var isSame = true
        forEachPiece(0..<size) { index, _, count, done in
            let page = (index < pages.count ? pages[index] : nil) ?? .reserved
            isSame = isSame && memcmp(page.bytes, source + done, count) == 0
        }
        return isSame
    }

    mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
        let end = offset + bytes.count
        cover(Self.pages(end))
        forEachPiece(offset..<end) { index, start, count, done in
            memcpy(ownPage(index, isReplaced: count == Self.pageSize).bytes + start, source + done, count)
        }
        size = max(size, end)
    }

    /// How many of these bytes can be written with this many new pages.
    func room(for range: Range<Int>, newPages: Int) -> Int {
        if Self.pages(range.count) + 1 <= newPages { return range.count }
        var left = newPages
        var fits = 0
        forEachPiece(range) { index, _, count, done in
            if index >= pages.count || pages[index] == nil { left -= 1 }
            if left >= 0 { fits = done + count }
        }
        return fits
    }

    mutating func resize(to newSize: Int) {
        if newSize <= size {
            let kept = Self.pages(newSize)
            if kept < pages.count {
                for page in pages[kept...] where page != nil { pageCount -= 1 }
                pages.removeSubrange(kept...)
            }
            let rest = newSize % Self.pageSize
            // Bytes beyond the end are zeros, should the file grow again.
            if rest > 0, kept <= pages.count, let page = pages[kept - 1], page !== FilePage.reserved {
                memset(ownPage(kept - 1, isReplaced: false).bytes + rest, 0, Self.pageSize - rest)
            }
        }
        size = newSize
    }

    /// Reserves pages, and returns false if these are more than it may take.
    mutating func reserve(_ range: Range<Int>, newPages: Int) -> Bool {
        var left = newPages
        cover(Self.pages(range.upperBound))
        for index in range.lowerBound / Self.pageSize..<Self.pages(range.upperBound) where pages[index] == nil {
            if left == 0 { return false }
            left -= 1
            pages[index] = .reserved
            pageCount += 1
        }
        return true
    }

    /// Takes one page of another version of the file, with the size of the file up to the end of that page.
    mutating func take(page index: Int, of other: FileContent) {
        replace(page: index, by: other)
        size = max(size, min(other.size, (index + 1) * Self.pageSize))
    }

    /// Replaces a page by that of another version of the file. The size stays.
    mutating func replace(page index: Int, by other: FileContent) {
        let page = index < other.pages.count ? other.pages[index] : nil
        cover(index + 1)
        pageCount += (page == nil ? 0 : 1) - (pages[index] == nil ? 0 : 1)
        pages[index] = page
    }

    /// Which pages differ from those of an earlier version.
    func changedPages(since earlier: FileContent) -> [Int] {
        (0..<max(pages.count, earlier.pages.count)).filter { isChanged(page: $0, since: earlier) }
    }

    func isChanged(page index: Int, since earlier: FileContent) -> Bool {
        let mine = index < pages.count ? pages[index] : nil
        let other = index < earlier.pages.count ? earlier.pages[index] : nil
        let isZero = mine == nil || mine === FilePage.reserved
        return mine !== other && !(isZero && (other == nil || other === FilePage.reserved))
    }

    private mutating func cover(_ count: Int) {
        while pages.count < count { pages.append(nil) }
    }

    /// A page that nobody else has.
    private mutating func ownPage(_ index: Int, isReplaced: Bool) -> FilePage {
        // Before it is taken out of the array, which would be a second reference.
        if isKnownUniquelyReferenced(&pages[index]), let page = pages[index] { return page }
        return copyPage(index, isReplaced: isReplaced)
    }

    private mutating func copyPage(_ index: Int, isReplaced: Bool) -> FilePage {
        let page = FilePage(copying: isReplaced ? nil : pages[index], isCleared: !isReplaced)
        if pages[index] == nil { pageCount += 1 }
        pages[index] = page
        return page
    }
}

/// Calls a closure for the part of each page: its number, where the part begins in it, its length, and how many bytes came
/// before.
private func forEachPiece(_ range: Range<Int>, _ body: (Int, Int, Int, Int) -> Void) {
    var position = range.lowerBound
    while position < range.upperBound {
        let start = position % FileContent.pageSize
        let count = min(FileContent.pageSize - start, range.upperBound - position)
        body(position / FileContent.pageSize, start, count, position - range.lowerBound)
        position += count
    }
}

/// A page of a file. Only the one content that has it may change it.
// One thread at a time works in a world.
final class FilePage: @unchecked Sendable {
    /// All reserved pages: zeros that are never written.
    static let reserved = FilePage(copying: nil, isCleared: true)

    let bytes = UnsafeMutableRawPointer.allocate(byteCount: FileContent.pageSize, alignment: 16)

    init(copying other: FilePage?, isCleared: Bool) {
        if let other {
            memcpy(bytes, other.bytes, FileContent.pageSize)
        } else if isCleared {
            memset(bytes, 0, FileContent.pageSize)
        }
    }

    deinit { bytes.deallocate() }
}
