import Glibc
import SpateExtendedAttributes

/// Syncs, and what a power cut leaves.
extension SimulatedDisk {
    /// See fsync(2).
    func sync(_ descriptor: CInt, _ caller: DiskCaller) throws(ErrorNumber) {
        let description = try description(descriptor, caller)
        let node = description.node
        if node.kind == .folder, let code = faults.folderSync { throw ErrorNumber(code: code) }
        if let code = faults.sync {
            loseDirtyPages(of: node)
            node.failedSyncer = caller.actor
            description.knownFailures = node.failureCount
            throw ErrorNumber(code: code)
        }
        if traits.kind == .tmpfs { return }
        journal.commitDue(at: timeline.now)
        commitMetadata(of: node)
        commitContent(of: node)
        // The kernel tells each open file once of a failure.
        if description.knownFailures < node.failureCount {
            description.knownFailures = node.failureCount
            throw ErrorNumber(code: EIO)
        }
    }

    private func commitMetadata(of node: DiskNode) {
        if traits.kind.hasOneJournal {
            // All before it comes with it. What is later may.
            let last = journal.countThroughLast(concerning: node)
            journal.commit(first: timeline.onceIn(2) ? journal.count : last)
        } else if timeline.onceIn(4) {
            journal.commit(first: journal.count)
        } else {
            journal.commitOnly(node)
        }
    }

    private func commitContent(of node: DiskNode) {
        guard node.kind == .file else { return }
        let old = node.durable.content
        node.durable.content = node.content
        for page in node.lostPages.sorted() { node.durable.content.replace(page: page, by: old) }
        node.durable.modified = node.modified
    }

    /// A failed sync leaves pages that count as written.
    private func loseDirtyPages(of node: DiskNode) {
        node.failureCount += 1
        guard node.kind == .file else { return }
        for page in dirtyPages(of: node) {
            if node.resizeCount == 0, timeline.onceIn(2) {
                node.durable.content.take(page: page, of: node.content)
            } else {
                node.lostPages.insert(page)
            }
        }
    }

    private func dirtyPages(of node: DiskNode) -> [Int] {
        node.content.changedPages(since: node.durable.content).filter { !node.lostPages.contains($0) }
    }

    /// Cuts the power: what was synced stays, and chance says what else does.
    ///
    /// - Names, attributes and truncations: a prefix of the uncommitted ones, in order.
    /// - Bytes: any pages. The others are as they were, or zeros where the file has grown.
    ///
    /// - Precondition: all processes of the machine have been killed.
    package func cutPower() {
        precondition(processes.values.allSatisfy { !$0.isAlive }, "processes are killed before the power is cut")
        // Those of processes that ended by themselves.
        for index in descriptors.indices { release(index) }
        outsideLocks = []
        journal.commitDue(at: timeline.now)
        if traits.kind == .tmpfs {
            journal.removeAll()
            world?.durable.names = [:]
        } else {
            let count = timeline.number(in: 0..<4)
            journal.commit(
                first: count == 0 ? 0 : count == 1 ? journal.count : timeline.number(in: 0..<journal.count + 1)
            )
        }
        var numbers: Set<UInt64> = []
        usedPages = 0
        var files: [ObjectIdentifier: DiskNode] = [:]
        restore(top, &files, &numbers)
        journal.removeAll()
        lastNumber = max(10, numbers.max() ?? 0)
        // The lowest last.
        freeNumbers = (11..<max(11, lastNumber)).filter { !numbers.contains($0) }.reversed()
    }

    var world: DiskNode? { top.names[DiskName("world")] }

    /// Goes on with what was durable, in a folder and below it.
    private func restore(
        _ folder: DiskNode,
        _ files: inout [ObjectIdentifier: DiskNode],
        _ numbers: inout Set<UInt64>
    ) {
        numbers.insert(folder.number)
        (folder.names, folder.attributes) = (folder.durable.names, folder.durable.attributes)
        folder.touch(folder.durable.modified)
        (folder.isRemoved, folder.watches) = (false, [])
        for (_, node) in folder.sortedNames {
            if node.kind == .folder {
                node.parent = folder
                node.linkCount = 1
                restore(node, &files, &numbers)
            } else if files.updateValue(node, forKey: ObjectIdentifier(node)) == nil {
                node.linkCount = 1
                numbers.insert(node.number)
                restore(file: node)
            } else {
                node.linkCount += 1
            }
        }
    }

    private func restore(file node: DiskNode) {
        writeBackAtCut(node)
        node.content = node.durable.content
        node.attributes = node.durable.attributes
        if timeline.onceIn(2) { node.durable.modified = node.modified }
        node.touch(node.durable.modified)
        (node.openCount, node.locks, node.lostPages, node.isUnnamed) = (0, [], [], false)
        usedPages += node.content.pageCount
    }

    /// Some bytes that were not synced have reached the disk.
    private func writeBackAtCut(_ node: DiskNode) {
        // What was written after a truncation cannot be there without it.
        guard node.kind == .file, node.resizeCount == 0 else { return }
        let dirty = dirtyPages(of: node)
        guard !dirty.isEmpty else { return }
        let kind = timeline.number(in: 0..<4)
        if kind == 0 { return }
        for page in dirty where kind == 1 || timeline.onceIn(2) {
            node.durable.content.take(page: page, of: node.content)
        }
        if traits.kind.mayGrowWithoutBytes, timeline.onceIn(4), node.durable.content.size < node.content.size {
            node.durable.content.resize(to: node.content.size)
        }
    }
}
