import ExtendedAttributes
import Glibc
package import PartialFiles
import Timing

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
    private var processes: [pid_t: SimulatedProcess] = [:]

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

    /// All calls on files of a process.
    package func platform(for process: SimulatedProcess, boot: BootID?) -> Platform {
        processes[process.number] = process
        let runtime = process.runtime
        let caller = DiskCaller(disk: self, process: process, clock: runtime.wallClock)
        var platform = Platform.native
        platform.runtime = runtime
        platform.boot = boot
        platform.process = process.running
        platform.startOfProcess = { [self] in processes[$0].flatMap { $0.isAlive ? $0.start : nil } }
        platform.user = { 1_000 }
        platform.openFolder = { path in caller.call("open") { try self.openFolder(path, caller) } }
        platform.makeFolder = { path in caller.call("mkdir") { try self.makeFolder(path, caller) } }
        platform.statusAtPath = { path, followsLinks, status in
            caller.call("stat") { try self.find(path, followsLinks: followsLinks).fill(status) }
        }
        platform.list = { folder, body in caller.call("readdir") { try self.list(folder, caller, body) } }
        platform.watch = { folder in caller.call("inotify") { try self.watch(folder, caller) } }
        platform.readChanges = { watch, buffer in
            caller.call("read changes") { try self.readChanges(watch, buffer, caller) }
        }
        platform.ownerOfNewFile = { _ in 1_000 }
        platform.open = { folder, name, flags, mode in
            caller.call("open") { try self.open(folder, name, flags, mode, caller) }
        }
        platform.openUnnamed = { folder in caller.call("open unnamed") { try self.openUnnamed(folder, caller) } }
        platform.statusOfName = { folder, name, followsLinks, status in
            caller.call("stat") {
                try self.find(name, in: self.folder(folder, caller), followsLinks: followsLinks).fill(status)
            }
        }
        platform.unlink = { folder, name in caller.call("unlink") { try self.unlink(folder, name, caller) } }
        platform.rename = { folder, from, to in
            caller.call("rename") { try self.rename(folder, from, to, replaces: true, caller) }
        }
        platform.renameWithoutReplacing = { folder, from, to in
            caller.call("rename") { try self.rename(folder, from, to, replaces: false, caller) }
        }
        platform.link = { folder, from, to in caller.call("link") { try self.link(folder, from, to, caller) } }
        platform.linkUnnamed = { file, folder, name in
            caller.call("link unnamed") { try self.linkUnnamed(file, folder, name, caller) }
        }
        platform.close = { descriptor in _ = caller.call("close") { try self.close(descriptor, caller) } }
        platform.duplicate = { descriptor in caller.call("duplicate") { try self.duplicate(descriptor, caller) } }
        platform.status = { descriptor, status in
            caller.call("fstat") { try self.description(descriptor, caller).node.fill(status) }
        }
        platform.birthTime = { descriptor, time in
            caller.call("statx") { try self.birthTime(descriptor, time, caller) }
        }
        platform.volume = { descriptor, volume in caller.call("statfs") { try self.volume(descriptor, volume, caller) }
        }
        platform.lock = { descriptor, mode in caller.call("flock") { try self.lock(descriptor, mode, caller) } }
        platform.attributes = { SimulatedAttributes(disk: self, descriptor: $0, caller: caller) }
        platform.read = { descriptor, buffer, count, offset in
            let buffer = UnsafeMutableRawBufferPointer(start: buffer, count: buffer == nil ? 0 : count)
            return caller.call("read") { try self.read(descriptor, buffer, offset, caller) }
        }
        platform.write = { descriptor, bytes, count, offset in
            let bytes = UnsafeRawBufferPointer(start: bytes, count: count)
            return caller.call("write") { try self.write(descriptor, bytes, offset, caller) }
        }
        platform.resize = { descriptor, size in caller.call("truncate") { try self.resize(descriptor, size, caller) } }
        platform.reserve = { descriptor, offset, length in
            caller.call("fallocate") { try self.reserve(descriptor, offset, length, caller) }
        }
        platform.setModified = { descriptor, seconds in
            caller.call("utimens") { try self.setModified(descriptor, seconds, caller) }
        }
        platform.sync = { descriptor in caller.call("sync") { try self.sync(descriptor, caller) } }
        platform.largestFile = { [self] in traits.largestFile }
        return platform
    }

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
        if description.descriptorCount == 0 { description.node.openCount += 1 }
        description.descriptorCount += 1
        let index = descriptors.firstIndex { $0 == nil } ?? descriptors.count
        if index == descriptors.count { descriptors.append(nil) }
        descriptors[index] = Descriptor(description: description, owner: caller.number)
        return Self.firstDescriptor + CInt(index)
    }

    func checkDescriptorRoom(_ caller: DiskCaller) throws(ErrorNumber) {
        if let code = faults.open { throw ErrorNumber(code: code) }
        if descriptors.count >= descriptorLimit,
            descriptors.count(where: { $0?.owner == caller.number }) >= descriptorLimit
        {
            throw ErrorNumber(code: EMFILE)
        }
    }

    private func close(_ descriptor: CInt, _ caller: DiskCaller) throws(ErrorNumber) {
        _ = try description(descriptor, caller)
        release(Int(descriptor - Self.firstDescriptor))
    }

    private func duplicate(_ descriptor: CInt, _ caller: DiskCaller) throws(ErrorNumber) -> CInt {
        let description = try description(descriptor, caller)
        return try add(description, for: caller)
    }

    func release(_ index: Int) {
        guard let description = descriptors[index]?.description else { return }
        descriptors[index] = nil
        description.descriptorCount -= 1
        if description.descriptorCount == 0 { end(description) }
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

/// A process that calls, or an outsider.
struct DiskCaller: @unchecked Sendable {
    let disk: SimulatedDisk
    let process: SimulatedProcess?
    let clock: () -> Duration

    var number: pid_t { process?.number ?? 0 }
    var actor: DiskActor { process.map { .process($0.number) } ?? .outsider }

    /// The time that files get: the kernel's, which ticks every 4 ms.
    var time: Duration {
        let (seconds, attoseconds) = clock().components
        return .seconds(seconds) + .milliseconds(attoseconds / 4_000_000_000_000_000 * 4)
    }

    /// Makes a call as C would: sets `errno` and returns -1 if it fails.
    func call<Value: SignedInteger>(_ name: String, _ body: () throws -> Value) -> Value {
        do {
            try begin(name)
            return try body()
        } catch {
            errno = (error as? ErrorNumber)?.code ?? EIO
            return -1
        }
    }

    func call(_ name: String, _ body: () throws -> Void) -> CInt {
        call(name) {
            try body()
            return CInt(0)
        }
    }

    /// What comes before each call: a dead process calls nothing.
    func begin(_ name: String) throws(ErrorNumber) {
        guard let process else { return }
        if process.isAlive { disk.beforeCall?(process, name) }
        guard process.isAlive else { throw ErrorNumber(code: ESRCH) }
        let longest = (name == "sync" ? disk.traits.syncTime : disk.traits.callTime)
        if longest > .zero { disk.timeline.pass(disk.timeline.time(upTo: longest)) }
        if disk.faults.delay > .zero { disk.timeline.pass(disk.faults.delay) }
    }
}
