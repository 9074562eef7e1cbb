import Glibc
import SpateExtendedAttributes

extension SimulatedDisk {
    func openFolder(_ path: String, _ caller: DiskCaller) throws(ErrorNumber) -> CInt {
        try checkDescriptorRoom(caller)
        let place = try place(path, in: top, followsLinks: true)
        guard let node = place.node else { throw ErrorNumber(code: ENOENT) }
        if node.kind != .folder { throw ErrorNumber(code: ENOTDIR) }
        return try add(OpenDescription(node, access: O_RDONLY, folder: place.folder, name: place.name), for: caller)
    }

    func makeFolder(_ path: String, _ caller: DiskCaller) throws(ErrorNumber) {
        let place = try place(path, in: top, followsLinks: false)
        if place.node != nil { throw ErrorNumber(code: EEXIST) }
        try checkNewName(place)
        let node = make(.folder, permissions: 0o777, by: caller)
        node.parent = place.folder
        add(place.name, to: node, in: place.folder, caller)
    }

    func list(
        _ descriptor: CInt,
        _ caller: DiskCaller,
        _ body: (UnsafeRawBufferPointer, UInt8) -> Bool
    ) throws(ErrorNumber) {
        let folder = try folder(descriptor, caller)
        // It is opened anew.
        try checkDescriptorRoom(caller)
        if let code = faults.read { throw ErrorNumber(code: code) }
        if folder.isRemoved { throw ErrorNumber(code: ENOENT) }
        let parent = (DiskName(".."), folder.parent ?? folder)
        for (name, node) in [(DiskName("."), folder), parent] + folder.sortedNames.map({ ($0.key, $0.value) }) {
            if !name.bytes.withUnsafeBytes({ body($0, node.kind.type) }) { return }
        }
    }

    func open(
        _ descriptor: CInt,
        _ name: String,
        _ flags: CInt,
        _ permissions: mode_t,
        _ caller: DiskCaller
    ) throws(ErrorNumber) -> CInt {
        let folder = try folder(descriptor, caller)
        try checkDescriptorRoom(caller)
        let (creates, access) = (flags & O_CREAT != 0, flags & O_ACCMODE)
        let isNew = creates && flags & O_EXCL != 0
        let place = try place(name, in: folder, followsLinks: flags & O_NOFOLLOW == 0 && !isNew)
        if let node = place.node {
            if isNew { throw ErrorNumber(code: EEXIST) }
            try checkOpen(node, flags)
            let description = OpenDescription(node, access: access, folder: place.folder, name: place.name)
            noteLoss(of: description, to: caller)
            if flags & O_TRUNC != 0, node.kind == .file { resize(description, to: 0, caller) }
            return try add(description, for: caller)
        }
        guard creates else { throw ErrorNumber(code: ENOENT) }
        try checkNewName(place)
        let node = make(.file, permissions: permissions, by: caller)
        add(place.name, to: node, in: place.folder, caller)
        return try add(OpenDescription(node, access: access, folder: place.folder, name: place.name), for: caller)
    }

    private func noteLoss(of description: OpenDescription, to caller: DiskCaller) {
        let node = description.node
        guard description.canWrite, !node.lostPages.isEmpty, node.failedSyncer != caller.actor,
            let (name, folder) = description.name.flatMap({ name in description.folder.map { (name, $0) } })
        else { return }
        note(.resumedAfterLoss, node, name, in: folder, caller)
    }

    private func checkOpen(_ node: DiskNode, _ flags: CInt) throws(ErrorNumber) {
        let access = flags & O_ACCMODE
        if node.kind != .folder, flags & O_DIRECTORY != 0 { throw ErrorNumber(code: ENOTDIR) }
        switch node.kind {
        case .link: throw ErrorNumber(code: ELOOP)
        case .folder: if access != O_RDONLY || flags & (O_CREAT | O_TRUNC) != 0 { throw ErrorNumber(code: EISDIR) }
        case .pipe: if access == O_WRONLY, !hasReader(node) { throw ErrorNumber(code: ENXIO) }
        case .file: return
        }
    }

    private func hasReader(_ pipe: DiskNode) -> Bool {
        descriptors.contains { $0.map { $0.description.node === pipe && $0.description.canRead } ?? false }
    }

    func openUnnamed(_ descriptor: CInt, _ caller: DiskCaller) throws(ErrorNumber) -> CInt {
        let folder = try folder(descriptor, caller)
        try checkDescriptorRoom(caller)
        if !traits.hasUnnamedFiles { throw ErrorNumber(code: EOPNOTSUPP) }
        if folder.isRemoved { throw ErrorNumber(code: ENOENT) }
        let node = make(.file, permissions: 0o666, by: caller)
        node.isUnnamed = true
        return try add(OpenDescription(node, access: O_RDWR), for: caller)
    }

    func unlink(_ descriptor: CInt, _ name: String, _ caller: DiskCaller) throws(ErrorNumber) {
        let place = try place(name, in: folder(descriptor, caller), followsLinks: false)
        guard let node = place.node else { throw ErrorNumber(code: ENOENT) }
        if node.kind == .folder { throw ErrorNumber(code: EISDIR) }
        if let code = faults.names { throw ErrorNumber(code: code) }
        remove(place.name, of: node, in: place.folder, caller)
    }

    func rename(
        _ descriptor: CInt,
        _ from: String,
        _ to: String,
        replaces: Bool,
        _ caller: DiskCaller
    ) throws(ErrorNumber) {
        let folder = try folder(descriptor, caller)
        let source = try place(from, in: folder, followsLinks: false)
        guard let node = source.node else { throw ErrorNumber(code: ENOENT) }
        let target = try place(to, in: folder, followsLinks: false)
        if !replaces {
            if target.node != nil { throw ErrorNumber(code: EEXIST) }
            if !traits.renamesWithoutReplacing { throw ErrorNumber(code: EINVAL) }
        }
        if target.node === node { return }
        guard source.folder === target.folder else { throw ErrorNumber(code: EXDEV) }
        if let old = target.node {
            if old.kind == .folder, node.kind != .folder { throw ErrorNumber(code: EISDIR) }
            if old.kind != .folder, node.kind == .folder { throw ErrorNumber(code: ENOTDIR) }
            if !old.names.isEmpty { throw ErrorNumber(code: ENOTEMPTY) }
        }
        if let code = faults.names { throw ErrorNumber(code: code) }
        move(node, from: source.name, to: target.name, in: source.folder, caller)
    }

    func link(_ descriptor: CInt, _ from: String, _ to: String, _ caller: DiskCaller) throws(ErrorNumber) {
        let folder = try folder(descriptor, caller)
        guard let node = try place(from, in: folder, followsLinks: false).node else { throw ErrorNumber(code: ENOENT) }
        let target = try place(to, in: folder, followsLinks: false)
        if target.node != nil { throw ErrorNumber(code: EEXIST) }
        if node.kind == .folder || !traits.hasHardLinks { throw ErrorNumber(code: EPERM) }
        try checkNewName(target)
        add(target.name, to: node, in: target.folder, caller)
    }

    func linkUnnamed(
        _ file: CInt,
        _ descriptor: CInt,
        _ name: String,
        _ caller: DiskCaller
    ) throws(ErrorNumber) {
        let node = try description(file, caller).node
        let place = try place(name, in: folder(descriptor, caller), followsLinks: false)
        if place.node != nil { throw ErrorNumber(code: EEXIST) }
        if node.kind == .folder || !traits.hasHardLinks { throw ErrorNumber(code: EPERM) }
        // A file that has lost its last name gets no other.
        if node.linkCount == 0, !node.isUnnamed { throw ErrorNumber(code: ENOENT) }
        try checkNewName(place)
        add(place.name, to: node, in: place.folder, caller)
    }

    func checkNewName(_ place: DiskPlace) throws(ErrorNumber) {
        if place.folder.isRemoved { throw ErrorNumber(code: ENOENT) }
        if place.folder === top { throw ErrorNumber(code: EACCES) }
        if let code = faults.names { throw ErrorNumber(code: code) }
    }

    // MARK: Changes

    func add(_ name: DiskName, to node: DiskNode, in folder: DiskNode, _ caller: DiskCaller) {
        folder.names[name] = node
        node.named = timeline.now
        node.linkCount += 1
        node.isUnnamed = false
        node.changed = caller.time
        folder.touch(caller.time)
        note(.named(node, name, in: folder), caller)
        for watch in folder.watches { watch.note(Int(IN_CREATE), name, isFolder: node.kind == .folder) }
    }

    func remove(_ name: DiskName, of node: DiskNode, in folder: DiskNode, _ caller: DiskCaller) {
        folder.names[name] = nil
        folder.touch(caller.time)
        note(.unnamed(node, name, in: folder), caller)
        for watch in folder.watches { watch.note(Int(IN_DELETE), name, isFolder: node.kind == .folder) }
        node.changed = caller.time
        drop(node)
        note(.removed, node, name, in: folder, caller)
    }

    func move(
        _ node: DiskNode,
        from: DiskName,
        to: DiskName,
        in folder: DiskNode,
        _ caller: DiskCaller
    ) {
        let old = folder.names[to]
        folder.names[from] = nil
        folder.names[to] = node
        node.named = timeline.now
        node.changed = caller.time
        folder.touch(caller.time)
        note(.renamed(node, from: from, to: to, in: folder), caller)
        for case let descriptor? in descriptors {
            let description = descriptor.description
            if description.node === node, description.folder === folder, description.name == from {
                description.name = to
            }
        }
        lastCookie += 1
        for watch in folder.watches {
            let isFolder = node.kind == .folder
            watch.note(Int(IN_MOVED_FROM), from, isFolder: isFolder, cookie: lastCookie)
            watch.note(Int(IN_MOVED_TO), to, isFolder: isFolder, cookie: lastCookie)
        }
        if let old {
            drop(old)
            note(.replaced, old, to, in: folder, caller)
        }
        note(.renamed, node, from, in: folder, caller)
    }

    /// It has lost a name.
    private func drop(_ node: DiskNode) {
        node.linkCount -= 1
        if node.kind == .folder {
            node.isRemoved = true
            for watch in node.watches { watch.note(Int(IN_IGNORED)) }
        } else {
            removeIfUnused(node)
        }
    }
}
