import Glibc
import SpateExtendedAttributes

/// A file system in memory, with the processes that use it.
///
/// It has a part that a power cut leaves, and a part that it may take: see `cutPower()`. All chance is the timeline's.
// One thread at a time works in a world.
package final class SimulatedDisk: @unchecked Sendable {
    /// Where the files are.
    package static let root = "/world"
    /// Real descriptors are below it, so that a real call on ours fails.
    package static let firstDescriptor: CInt = 1 << 24

    struct Descriptor {
        let description: OpenDescription
        let owner: pid_t
    }

    package let timeline: Timeline
    /// What it can do. May change while the world runs.
    package var traits: DiskTraits
    /// What fails at present.
    package var faults = DiskFaults()
    /// How many bytes fit; nil for any number.
    package var capacity: Int?
    /// How many descriptors a process may have.
    package var descriptorLimit = 1_024
    /// Called before each call of a process, with the call's name. It may kill the process: then the call does nothing.
    package var beforeCall: ((SimulatedProcess, _ call: String) -> Void)?
    /// What names and files lost.
    package internal(set) var changes: [DiskChange] = []

    /// `/`, in which `/world` is.
    let top: DiskNode
    var journal = DiskJournal()
    var descriptors: [Descriptor?] = []
    /// The pages that all files have.
    var usedPages = 0
    var freeNumbers: [UInt64] = []
    var lastNumber: UInt64 = 10
    var lastCookie: UInt32 = 0
    /// Those that outsiders keep.
    var outsideLocks: [(path: String, description: OpenDescription)] = []
    /// All that ever had a platform here.
    var processes: [pid_t: SimulatedProcess] = [:]

    package init(on timeline: Timeline, traits: DiskTraits) {
        (self.timeline, self.traits) = (timeline, traits)
        let now = SimulatedProcess.firstDate
        top = DiskNode(.folder, number: 1, permissions: 0o755, maker: .outsider, at: now)
        let world = DiskNode(.folder, number: 2, permissions: 0o755, maker: .outsider, at: now)
        world.parent = top
        top.names[DiskName("world")] = world
        top.durable.names = top.names
    }

    // MARK: Processes

    /// Kills a process: its descriptors close, and its locks go. What it wrote stays.
    package func kill(_ process: SimulatedProcess) {
        process.kill()
        for (index, descriptor) in descriptors.enumerated() where descriptor?.owner == process.number {
            release(index)
        }
    }

    /// How many descriptors a process has.
    package func descriptorCount(of process: SimulatedProcess) -> Int {
        descriptors.count { $0?.owner == process.number }
    }

    /// How many locks the descriptors of a process hold.
    package func lockCount(of process: SimulatedProcess) -> Int {
        var holders: Set<ObjectIdentifier> = []
        for case let descriptor? in descriptors where descriptor.owner == process.number {
            let holder = ObjectIdentifier(descriptor.description)
            if descriptor.description.node.locks.contains(where: { $0.holder == holder }) { holders.insert(holder) }
        }
        return holders.count
    }

    // MARK: Descriptors

    func description(_ descriptor: CInt, _ caller: DiskCaller) throws(ErrorNumber) -> OpenDescription {
        let index = Int(descriptor) - Int(Self.firstDescriptor)
        guard descriptors.indices.contains(index), let found = descriptors[index], found.owner == caller.number else {
            throw ErrorNumber(code: EBADF)
        }
        return found.description
    }

    func folder(_ descriptor: CInt, _ caller: DiskCaller) throws(ErrorNumber) -> DiskNode {
        let node = try description(descriptor, caller).node
        if node.kind != .folder { throw ErrorNumber(code: ENOTDIR) }
        return node
    }

    /// Gives it the lowest number that is free, as the kernel does.
    func add(_ description: OpenDescription, for caller: DiskCaller) throws(ErrorNumber) -> CInt {
        try checkDescriptorRoom(caller)
        description.node.openCount += 1
        let index = descriptors.firstIndex { $0 == nil } ?? descriptors.count
        if index == descriptors.count { descriptors.append(nil) }
        descriptors[index] = Descriptor(description: description, owner: caller.number)
        return Self.firstDescriptor + CInt(index)
    }

    func checkDescriptorRoom(_ caller: DiskCaller) throws(ErrorNumber) {
        if let code = faults.open { throw ErrorNumber(code: code) }
        if let (code, share) = faults.someOpens, timeline.onceIn(share) { throw ErrorNumber(code: code) }
        if descriptors.count >= descriptorLimit,
            descriptors.count(where: { $0?.owner == caller.number }) >= descriptorLimit
        {
            throw ErrorNumber(code: EMFILE)
        }
    }

    func close(_ descriptor: CInt, _ caller: DiskCaller) throws(ErrorNumber) {
        _ = try description(descriptor, caller)
        release(Int(descriptor - Self.firstDescriptor))
    }

    func release(_ index: Int) {
        guard let description = descriptors[index]?.description else { return }
        descriptors[index] = nil
        end(description)
    }

    /// Nobody has it any more.
    func end(_ description: OpenDescription) {
        let node = description.node
        let holder = ObjectIdentifier(description)
        node.locks.removeAll { $0.holder == holder }
        node.watches.removeAll { $0 === description.changes }
        node.openCount -= 1
        removeIfUnused(node)
    }

    // MARK: Nodes

    func make(
        _ kind: DiskNode.Kind,
        permissions: mode_t,
        by caller: DiskCaller
    ) -> DiskNode {
        var number = lastNumber + 1
        if traits.kind.reusesNumbers, let free = freeNumbers.last {
            number = free
            freeNumbers.removeLast()
        } else {
            lastNumber = number
        }
        return DiskNode(kind, number: number, permissions: permissions, maker: caller.actor, at: caller.time)
    }

    /// A file without names that nobody has open is gone.
    func removeIfUnused(_ node: DiskNode) {
        guard node.kind != .folder, node.linkCount == 0, node.openCount == 0 else { return }
        usedPages -= node.content.pageCount
        // The lowest last.
        let index = freeNumbers.firstIndex { $0 < node.number } ?? freeNumbers.count
        freeNumbers.insert(node.number, at: index)
    }

    func note(_ change: DiskMetadata, _ caller: DiskCaller) {
        journal.commitDue(at: timeline.now)
        journal.add(change, due: timeline.now + traits.kind.commitInterval, time: caller.time)
    }

    func note(_ kind: DiskChange.Kind, _ node: DiskNode, _ name: DiskName, in folder: DiskNode, _ caller: DiskCaller) {
        changes.append(
            DiskChange(
                time: timeline.now,
                kind: kind,
                actor: caller.actor,
                path: path(of: folder) + "/" + name.text,
                file: node.number,
                maker: node.maker,
                hasOtherName: node.linkCount > 0
            )
        )
    }

    func path(of folder: DiskNode) -> String {
        guard let parent = folder.parent else { return "" }
        let name = parent.names.first { $0.value === folder }?.key.text ?? "(removed)"
        return path(of: parent) + "/" + name
    }
}
