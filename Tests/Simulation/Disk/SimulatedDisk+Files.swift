import CSpateSystem
import Glibc
import SpateExtendedAttributes

extension SimulatedDisk {
    /// No file of a world is larger.
    private static let largestSize: Int64 = 1 << 32

    func read(
        _ descriptor: CInt,
        _ buffer: UnsafeMutableRawBufferPointer,
        _ offset: Int64,
        _ caller: DiskCaller
    ) throws(ErrorNumber) -> Int {
        let description = try description(descriptor, caller)
        try checkPlace(offset, in: description.node)
        guard description.canRead else { throw ErrorNumber(code: EBADF) }
        if description.node.kind == .folder { throw ErrorNumber(code: EISDIR) }
        if let code = faults.read { throw ErrorNumber(code: code) }
        return offset > Self.largestSize ? 0 : description.node.content.read(into: buffer, at: Int(offset))
    }

    func write(
        _ descriptor: CInt,
        _ bytes: UnsafeRawBufferPointer,
        _ offset: Int64,
        _ caller: DiskCaller
    ) throws(ErrorNumber) -> Int {
        let description = try description(descriptor, caller)
        try checkPlace(offset, in: description.node)
        guard description.canWrite else { throw ErrorNumber(code: EBADF) }
        if bytes.isEmpty { return 0 }
        if offset > Self.largestSize - Int64(bytes.count) { throw ErrorNumber(code: EFBIG) }
        let count = try writable(bytes.count, at: Int(offset), of: description.node)
        write(UnsafeRawBufferPointer(rebasing: bytes[..<count]), to: description, at: Int(offset), caller)
        return count
    }

    /// How much of it is written.
    private func writable(_ wanted: Int, at offset: Int, of node: DiskNode) throws(ErrorNumber) -> Int {
        var count = wanted
        if let code = faults.write {
            if faults.bytesBeforeFailure <= 0 { throw ErrorNumber(code: code) }
            count = min(count, faults.bytesBeforeFailure)
        }
        if faults.writesShort { count = timeline.number(in: 1..<count + 1) }
        if let capacity {
            let room = max(0, capacity / FileContent.pageSize - usedPages)
            count = node.content.room(for: offset..<offset + count, newPages: room)
            if count == 0 { throw ErrorNumber(code: ENOSPC) }
        }
        if faults.write != nil { faults.bytesBeforeFailure -= count }
        return count
    }

    func write(_ bytes: UnsafeRawBufferPointer, to description: OpenDescription, at offset: Int, _ caller: DiskCaller) {
        let node = description.node
        noteEdit(description, caller)
        writeBackSome(page: offset / FileContent.pageSize, of: node)
        let pageCount = node.content.pageCount
        node.content.write(bytes, at: offset)
        usedPages += node.content.pageCount - pageCount
        if !node.lostPages.isEmpty {
            let range = offset / FileContent.pageSize..<FileContent.pages(offset + bytes.count)
            node.lostPages = node.lostPages.filter { !range.contains($0) }
        }
        node.touch(caller.time)
    }

    /// Now and then the kernel writes a page before it is complete.
    private func writeBackSome(page: Int, of node: DiskNode) {
        let content = node.content
        guard node.resizeCount == 0, page < content.pages.count, !node.lostPages.contains(page),
            content.isChanged(page: page, since: node.durable.content), timeline.onceIn(8)
        else { return }
        node.durable.content.take(page: page, of: content)
    }

    /// A file of somebody else is changed by us.
    private func noteEdit(_ description: OpenDescription, _ caller: DiskCaller) {
        let node = description.node
        if caller.process != nil, let name = description.name, let folder = description.folder,
            node.locks.contains(where: { $0.isExclusive && $0.holder != ObjectIdentifier(description) })
        {
            note(.writtenUnderLock, node, name, in: folder, caller)
        }
        guard node.maker != caller.actor, changes.last?.file != node.number || changes.last?.kind != .edited,
            let name = description.name, let folder = description.folder
        else { return }
        note(.edited, node, name, in: folder, caller)
    }

    private func checkPlace(_ offset: Int64, in node: DiskNode) throws(ErrorNumber) {
        if offset < 0 { throw ErrorNumber(code: EINVAL) }
        if node.kind == .pipe { throw ErrorNumber(code: ESPIPE) }
    }

    func resize(_ descriptor: CInt, _ size: Int64, _ caller: DiskCaller) throws(ErrorNumber) {
        if size < 0 { throw ErrorNumber(code: EINVAL) }
        let description = try description(descriptor, caller)
        guard description.canWrite, description.node.kind == .file else { throw ErrorNumber(code: EINVAL) }
        if size > Self.largestSize { throw ErrorNumber(code: EFBIG) }
        if let code = faults.write, size != description.node.content.size { throw ErrorNumber(code: code) }
        resize(description, to: Int(size), caller)
    }

    func resize(_ description: OpenDescription, to size: Int, _ caller: DiskCaller) {
        let node = description.node
        let (oldSize, pageCount) = (node.content.size, node.content.pageCount)
        node.content.resize(to: size)
        usedPages += node.content.pageCount - pageCount
        node.touch(caller.time)
        guard size != oldSize else { return }
        noteEdit(description, caller)
        node.lostPages = node.lostPages.filter { $0 < FileContent.pages(size) }
        note(.resized(node, size), caller)
    }

    func reserve(
        _ descriptor: CInt,
        _ offset: Int64,
        _ length: Int64,
        _ caller: DiskCaller
    ) throws(ErrorNumber) {
        let description = try description(descriptor, caller)
        if offset < 0 || length <= 0 { throw ErrorNumber(code: EINVAL) }
        guard description.canWrite else { throw ErrorNumber(code: EBADF) }
        if description.node.kind == .pipe { throw ErrorNumber(code: ESPIPE) }
        if traits.kind == .nfs { throw ErrorNumber(code: EOPNOTSUPP) }
        if length > Self.largestSize - offset { throw ErrorNumber(code: EFBIG) }
        if let code = faults.write { throw ErrorNumber(code: code) }
        let node = description.node
        let pageCount = node.content.pageCount
        let room = capacity.map { max(0, $0 / FileContent.pageSize - usedPages) } ?? .max
        let isWhole = node.content.reserve(Int(offset)..<Int(offset + length), newPages: room)
        // Those that it got stay, as on ext4.
        usedPages += node.content.pageCount - pageCount
        if !isWhole { throw ErrorNumber(code: ENOSPC) }
    }

    func setModified(_ descriptor: CInt, _ seconds: Int64, _ caller: DiskCaller) throws(ErrorNumber) {
        let description = try description(descriptor, caller)
        (description.node.modified, description.node.changed) = (.seconds(seconds), caller.time)
        // Watches of attributes aren't told: it counts as a write.
        note(.modified(description.node, .seconds(seconds)), caller)
    }

    /// Notifies the watches of its folder and of the file.
    func noteAttributes(of description: OpenDescription) {
        for watch in description.node.watches { watch.note(Int(IN_ATTRIB), isFolder: true) }
        guard let folder = description.folder, let name = description.name else { return }
        for watch in folder.watches {
            watch.note(Int(IN_ATTRIB), name, isFolder: description.node.kind == .folder)
        }
    }

    func birthTime(
        _ descriptor: CInt,
        _ time: UnsafeMutablePointer<timespec>,
        _ caller: DiskCaller
    ) throws(ErrorNumber) {
        let node = try description(descriptor, caller).node
        if !traits.hasBirthTimes { throw ErrorNumber(code: ENOTSUP) }
        time.pointee = timespec(node.born)
    }

    func volume(
        _ descriptor: CInt,
        _ volume: UnsafeMutablePointer<spate_volume>,
        _ caller: DiskCaller
    ) throws(ErrorNumber) {
        _ = try description(descriptor, caller)
        let free = capacity.map { max(0, $0 - usedPages * FileContent.pageSize) } ?? 1 << 40
        volume.pointee = spate_volume(kind: traits.kind.magic, available: Int64(free))
    }

    // MARK: Locks and watches

    /// See flock(2), with LOCK_NB.
    func lock(_ descriptor: CInt, _ mode: CInt, _ caller: DiskCaller) throws(ErrorNumber) {
        let description = try description(descriptor, caller)
        if !traits.hasLocks { throw ErrorNumber(code: ENOLCK) }
        try lock(description, mode & ~LOCK_NB)
    }

    func lock(_ description: OpenDescription, _ mode: CInt) throws(ErrorNumber) {
        let node = description.node
        guard [LOCK_SH, LOCK_EX, LOCK_UN].contains(mode) else { throw ErrorNumber(code: EINVAL) }
        let (holder, isExclusive) = (ObjectIdentifier(description), mode == LOCK_EX)
        if mode != LOCK_UN, node.locks.contains(where: { $0.holder == holder && $0.isExclusive == isExclusive }) {
            return
        }
        // A lock of the other kind is given up first, and is lost should the new one be refused.
        node.locks.removeAll { $0.holder == holder }
        if mode == LOCK_UN { return }
        if node.locks.contains(where: { isExclusive || $0.isExclusive }) { throw ErrorNumber(code: EWOULDBLOCK) }
        node.locks.append((holder, isExclusive))
    }

    func watch(_ descriptor: CInt, _ caller: DiskCaller) throws(ErrorNumber) -> CInt {
        let node = try folder(descriptor, caller)
        if !traits.hasWatches { throw ErrorNumber(code: EMFILE) }
        let changes = FolderChanges(capacity: traits.watchCapacity)
        let watch = try add(OpenDescription(node, access: O_RDONLY, changes: changes), for: caller)
        node.watches.append(changes)
        return watch
    }

    func readChanges(
        _ descriptor: CInt,
        _ buffer: UnsafeMutableRawBufferPointer,
        _ caller: DiskCaller
    ) throws(ErrorNumber) -> Int {
        guard let changes = try description(descriptor, caller).changes else { throw ErrorNumber(code: EINVAL) }
        if changes.isEmpty { throw ErrorNumber(code: EAGAIN) }
        guard let count = changes.take(into: buffer) else { throw ErrorNumber(code: EINVAL) }
        return count
    }
}
