import Glibc

/// What a watch of a folder has seen, as inotify(7) keeps it.
final class FolderChanges {
    private struct Record: Equatable {
        let mask: UInt32
        let cookie: UInt32
        let name: [UInt8]

        /// The name ends with a zero, and fills a multiple of a record's head.
        var nameLength: Int { name.isEmpty ? 0 : (name.count / Self.headLength + 1) * Self.headLength }
        var length: Int { Self.headLength + nameLength }

        static let headLength = MemoryLayout<inotify_event>.size
    }

    private var records: [Record] = []
    private let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
    }

    func note(_ mask: Int, _ name: DiskName? = nil, isFolder: Bool = false, cookie: UInt32 = 0) {
        let mask = UInt32(mask) | (isFolder ? UInt32(IN_ISDIR) : 0)
        let record = Record(mask: mask, cookie: cookie, name: name?.bytes ?? [])
        // The kernel leaves out what the last record says.
        if records.last == record || records.count > capacity { return }
        records.append(records.count < capacity ? record : Record(mask: UInt32(IN_Q_OVERFLOW), cookie: 0, name: []))
    }

    /// Takes as many records as fit: the length of all, or nil if the first does not fit.
    func take(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        var (end, count) = (0, 0)
        for record in records {
            guard end + record.length <= buffer.count else { break }
            var head = inotify_event()
            head.wd = record.mask & UInt32(IN_Q_OVERFLOW) != 0 ? -1 : 1
            (head.mask, head.cookie, head.len) = (record.mask, record.cookie, UInt32(record.nameLength))
            buffer.storeBytes(of: head.wd, toByteOffset: end, as: Int32.self)
            buffer.storeBytes(of: head.mask, toByteOffset: end + 4, as: UInt32.self)
            buffer.storeBytes(of: head.cookie, toByteOffset: end + 8, as: UInt32.self)
            buffer.storeBytes(of: head.len, toByteOffset: end + 12, as: UInt32.self)
            let name = UnsafeMutableRawBufferPointer(
                rebasing: buffer[(end + Record.headLength)..<(end + record.length)]
            )
            for index in name.indices { name[index] = index < record.name.count ? record.name[index] : 0 }
            end += record.length
            count += 1
        }
        if count == 0, !records.isEmpty { return nil }
        records.removeFirst(count)
        return end
    }

    var isEmpty: Bool { records.isEmpty }
}
