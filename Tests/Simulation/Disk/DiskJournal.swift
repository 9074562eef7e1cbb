/// A change of a name, an attribute, a size or a time that a power cut may undo.
enum DiskMetadata {
    case named(DiskNode, DiskName, in: DiskNode)
    case unnamed(DiskNode, DiskName, in: DiskNode)
    case renamed(DiskNode, from: DiskName, to: DiskName, in: DiskNode)
    case attribute(DiskNode, String, [UInt8]?)
    case resized(DiskNode, Int)
    case modified(DiskNode, Duration)

    /// The folder whose names change.
    var folder: DiskNode? {
        switch self {
        case .named(_, _, let folder), .unnamed(_, _, let folder), .renamed(_, _, _, let folder): folder
        case .attribute, .resized, .modified: nil
        }
    }

    var node: DiskNode {
        switch self {
        case .named(let node, _, _), .unnamed(let node, _, _), .renamed(let node, _, _, _): node
        case .attribute(let node, _, _), .resized(let node, _), .modified(let node, _): node
        }
    }

    func concerns(_ other: DiskNode) -> Bool { node === other || folder === other }

    /// Makes it durable.
    func commit(_ time: Duration) {
        folder?.durable.modified = time
        switch self {
        case .named(let node, let name, let folder): folder.durable.names[name] = node
        case .unnamed(_, let name, let folder): folder.durable.names[name] = nil
        case .renamed(let node, let from, let to, let folder):
            folder.durable.names[from] = nil
            folder.durable.names[to] = node
        case .attribute(let node, let name, let value): node.durable.attributes[name] = value
        case .resized(let node, let size):
            node.resizeCount -= 1
            node.durable.content.resize(to: size)
        case .modified(let node, let time): node.durable.modified = time
        }
    }
}

/// The changes of names, attributes and sizes that are not durable yet, in their order.
struct DiskJournal {
    private struct Entry {
        let change: DiskMetadata
        /// The time of the world.
        let due: Duration
        /// By the wall clock.
        let time: Duration
    }

    private var entries: [Entry] = []

    var count: Int { entries.count }

    /// - Parameters:
    ///   - due: when the change becomes durable by itself.
    ///   - time: what the wall clock shows.
    mutating func add(_ change: DiskMetadata, due: Duration, time: Duration) {
        if case .resized(let node, _) = change { node.resizeCount += 1 }
        entries.append(Entry(change: change, due: due, time: time))
    }

    /// Makes the first of them durable.
    mutating func commit(first count: Int) {
        for entry in entries[..<count] { entry.change.commit(entry.time) }
        entries.removeFirst(count)
    }

    /// Makes durable what has been here long enough.
    mutating func commitDue(at now: Duration) {
        guard let first = entries.first, first.due <= now else { return }
        commit(first: entries.firstIndex { $0.due > now } ?? entries.count)
    }

    /// How many there are up to the last that concerns a file or folder.
    func countThroughLast(concerning node: DiskNode) -> Int {
        (entries.lastIndex { $0.change.concerns(node) } ?? -1) + 1
    }

    /// Makes durable what concerns this file or folder alone. The names of a folder keep their order.
    mutating func commitOnly(_ node: DiskNode) {
        var lastNames: [ObjectIdentifier: Int] = [:]
        for (index, entry) in entries.enumerated() {
            if let folder = entry.change.folder, entry.change.concerns(node) {
                lastNames[ObjectIdentifier(folder)] = index
            }
        }
        var left: [Entry] = []
        for (index, entry) in entries.enumerated() {
            let isCommitted =
                entry.change.folder.map { index <= lastNames[ObjectIdentifier($0)] ?? -1 }
                ?? (entry.change.node === node)
            if isCommitted { entry.change.commit(entry.time) } else { left.append(entry) }
        }
        entries = left
    }

    mutating func removeAll() {
        for entry in entries {
            if case .resized(let node, _) = entry.change { node.resizeCount -= 1 }
        }
        entries = []
    }
}
