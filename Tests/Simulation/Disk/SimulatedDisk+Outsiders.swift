package import Glibc
import SpateExtendedAttributes

/// What others do on the disk, and what the world may know of it. Nothing here fails, takes time, or is counted as a call.
/// Paths are absolute. What cannot be done is not done, and the answer is false or nil.
extension SimulatedDisk {
    private var outsider: DiskCaller {
        let timeline = timeline
        return DiskCaller(disk: self, process: nil, clock: { SimulatedProcess.firstDate + timeline.now })
    }

    // MARK: Looking

    /// The names in a folder, sorted.
    package func names(in path: String) -> [String] {
        guard let folder = node(path), folder.kind == .folder else { return [] }
        return folder.names.keys.map(\.text).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// The paths of all files below a folder, sorted. Links are not followed.
    package func files(below path: String = SimulatedDisk.root) -> [String] {
        names(in: path).flatMap { name -> [String] in
            let path = path + "/" + name
            switch node(path, followsLinks: false)?.kind {
            case .folder: return files(below: path)
            case .file: return [path]
            default: return []
            }
        }
    }

    package func content(of path: String) -> [UInt8]? {
        guard let file = file(path) else { return nil }
        return [UInt8](unsafeUninitializedCapacity: file.size) { buffer, count in
            count = file.read(into: UnsafeMutableRawBufferPointer(buffer), at: 0)
        }
    }

    /// The content of a file, not copied.
    func file(_ path: String) -> FileContent? {
        guard let node = node(path), node.kind == .file else { return nil }
        return node.content
    }

    /// The attributes of a file. A value that is not UTF-8 is repaired.
    package func attributes(of path: String) -> [String: String]? {
        node(path)?.attributes.mapValues { String(decoding: $0, as: UTF8.self) }
    }

    /// The status of what is at a path, links not followed.
    package func status(of path: String) -> stat? {
        guard let node = node(path, followsLinks: false) else { return nil }
        var status = stat()
        node.fill(&status)
        return status
    }

    /// When a file last got a name.
    func nameTime(of path: String) -> Duration? { node(path, followsLinks: false)?.named }

    /// Who made the file.
    package func maker(of path: String) -> DiskActor? { node(path, followsLinks: false)?.maker }

    /// The bytes that files take.
    package var usedBytes: Int { usedPages * FileContent.pageSize }

    /// How many changes of names, attributes and sizes a power cut may undo.
    package var uncommittedCount: Int {
        journal.commitDue(at: timeline.now)
        return journal.count
    }

    // MARK: Changing

    /// Makes a file, in place of another that has the name.
    @discardableResult
    package func plant(
        _ path: String,
        _ bytes: [UInt8] = [],
        attributes: [String: String] = [:],
        owner: uid_t = 1_000
    ) -> Bool {
        remove(path)
        guard let place = newPlace(path) else { return false }
        let node = make(.file, permissions: 0o666, by: outsider)
        node.owner = owner
        add(place.name, to: node, in: place.folder, outsider)
        let description = OpenDescription(node, access: O_RDWR, folder: place.folder, name: place.name)
        bytes.withUnsafeBytes { write($0, to: description, at: 0, outsider) }
        for (name, value) in attributes.sorted(by: { $0.key < $1.key }) {
            change(name, to: Array(value.utf8), of: description, outsider)
        }
        return true
    }

    /// Writes over the bytes of a file, or behind them.
    @discardableResult
    package func edit(_ path: String, at offset: Int, _ bytes: [UInt8]) -> Bool {
        guard let description = description(path) else { return false }
        bytes.withUnsafeBytes { write($0, to: description, at: offset, outsider) }
        return true
    }

    @discardableResult
    package func truncate(_ path: String, to size: Int) -> Bool {
        guard let description = description(path) else { return false }
        resize(description, to: size, outsider)
        return true
    }

    /// Syncs a file, and all names.
    package func sync(_ path: String) {
        journal.commit(first: journal.count)
        if let node = node(path) { (node.durable.content, node.durable.modified) = (node.content, node.modified) }
    }

    /// From now on the file counts as an outsider's, unless a process has it open.
    package func takeOver(_ path: String) {
        guard let node = node(path), node.openCount == 0 else { return }
        node.maker = .outsider
    }

    /// From now on the file counts as this process's.
    func handOver(_ path: String, to process: pid_t) { node(path)?.maker = .process(process) }

    /// Sets an attribute, or removes it.
    @discardableResult
    package func setAttribute(_ name: String, of path: String, to text: String?) -> Bool {
        guard let description = description(path) else { return false }
        change(name, to: text.map { Array($0.utf8) }, of: description, outsider)
        return true
    }

    /// Removes a file, or a folder with all that is in it.
    @discardableResult
    package func remove(_ path: String) -> Bool {
        guard let place = oldPlace(path), let node = place.node else { return false }
        if node.kind == .folder {
            for name in names(in: path) { remove(path + "/" + name) }
        }
        remove(place.name, of: node, in: place.folder, outsider)
        return true
    }

    /// Renames something within its folder, and replaces what has the new name.
    @discardableResult
    package func rename(_ path: String, to name: String) -> Bool {
        guard let place = oldPlace(path), let node = place.node else { return false }
        let name = DiskName(name)
        guard name != place.name, place.folder.names[name]?.kind != .folder, place.folder.names[name] !== node else {
            return false
        }
        move(node, from: place.name, to: name, in: place.folder, outsider)
        return true
    }

    /// Gives a file another name, in any folder.
    @discardableResult
    package func link(_ path: String, at other: String) -> Bool {
        guard let node = node(path, followsLinks: false), node.kind != .folder, let place = newPlace(other) else {
            return false
        }
        add(place.name, to: node, in: place.folder, outsider)
        return true
    }

    @discardableResult
    package func makeSymbolicLink(_ path: String, to target: String) -> Bool {
        guard let place = newPlace(path) else { return false }
        let node = make(.link, permissions: 0o777, by: outsider)
        node.target = target
        add(place.name, to: node, in: place.folder, outsider)
        return true
    }

    @discardableResult
    package func makePipe(_ path: String) -> Bool {
        guard let place = newPlace(path) else { return false }
        add(place.name, to: make(.pipe, permissions: 0o666, by: outsider), in: place.folder, outsider)
        return true
    }

    /// Makes a folder in an existing folder.
    @discardableResult
    package func makeFolder(_ path: String) -> Bool {
        guard let place = newPlace(path) else { return false }
        let node = make(.folder, permissions: 0o777, by: outsider)
        node.parent = place.folder
        add(place.name, to: node, in: place.folder, outsider)
        return true
    }

    /// Takes a lock, until `unlock`.
    ///
    /// - Parameter mode: LOCK_SH or LOCK_EX.
    @discardableResult
    package func lock(_ path: String, _ mode: CInt = LOCK_EX) -> Bool {
        guard let description = description(path) else { return false }
        description.node.openCount += 1
        do throws(ErrorNumber) {
            try lock(description, mode)
            outsideLocks.append((path, description))
            return true
        } catch {
            end(description)
            return false
        }
    }

    /// Releases the locks that were taken under this path.
    package func unlock(_ path: String) {
        for lock in outsideLocks where lock.path == path { end(lock.description) }
        outsideLocks.removeAll { $0.path == path }
    }

    /// Releases all locks of outsiders.
    package func unlockAll() {
        for lock in outsideLocks { end(lock.description) }
        outsideLocks = []
    }

    private func node(_ path: String, followsLinks: Bool = true) -> DiskNode? {
        try? find(path, followsLinks: followsLinks)
    }

    private func description(_ path: String) -> OpenDescription? {
        guard let place = try? place(path, in: top, followsLinks: true), let node = place.node, node.kind == .file
        else {
            return nil
        }
        return OpenDescription(node, access: O_RDWR, folder: place.folder, name: place.name)
    }

    private func oldPlace(_ path: String) -> DiskPlace? {
        guard let place = try? place(path, in: top, followsLinks: false), place.node != nil, place.folder !== top else {
            return nil
        }
        return place
    }

    private func newPlace(_ path: String) -> DiskPlace? {
        guard let place = try? place(path, in: top, followsLinks: false), place.node == nil, place.folder !== top,
            !place.folder.isRemoved
        else { return nil }
        return place
    }
}
