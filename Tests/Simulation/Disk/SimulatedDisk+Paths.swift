import Glibc
import SpateExtendedAttributes

/// Where a path leads: a folder, a name in it, and what has the name.
struct DiskPlace {
    let folder: DiskNode
    let name: DiskName
    let node: DiskNode?
}

extension SimulatedDisk {
    /// What is at an absolute path.
    func find(_ path: String, followsLinks: Bool) throws(ErrorNumber) -> DiskNode {
        try find(path, in: top, followsLinks: followsLinks)
    }

    func find(_ path: String, in folder: DiskNode, followsLinks: Bool) throws(ErrorNumber) -> DiskNode {
        guard let node = try place(path, in: folder, followsLinks: followsLinks).node else {
            throw ErrorNumber(code: ENOENT)
        }
        return node
    }

    /// Walks along a path.
    ///
    /// - Parameters:
    ///   - followsLinks: whether a link at its end is followed. Others always are.
    ///   - depth: how many links were followed to come here.
    func place(
        _ path: String,
        in base: DiskNode,
        followsLinks: Bool,
        depth: Int = 0
    ) throws(ErrorNumber) -> DiskPlace {
        if depth > 40 { throw ErrorNumber(code: ELOOP) }
        if path.isEmpty { throw ErrorNumber(code: ENOENT) }
        // Nearly all are names in a folder.
        if base.kind == .folder, !path.utf8.contains(UInt8(ascii: "/")) {
            let place = try step(DiskName(path), from: base)
            if place.node?.kind != .link || !followsLinks { return place }
        }
        var place = DiskPlace(folder: top, name: DiskName("."), node: path.utf8.first == UInt8(ascii: "/") ? top : base)
        let parts = path.utf8.split(separator: UInt8(ascii: "/"))
        for (index, part) in parts.enumerated() {
            guard let folder = place.node else { throw ErrorNumber(code: ENOENT) }
            guard folder.kind == .folder else { throw ErrorNumber(code: ENOTDIR) }
            place = try step(DiskName(bytes: Array(part)), from: folder)
            if let node = place.node, node.kind == .link, followsLinks || index < parts.count - 1 {
                place = try self.place(node.target, in: folder, followsLinks: true, depth: depth + 1)
            }
        }
        return place
    }

    private func step(_ name: DiskName, from folder: DiskNode) throws(ErrorNumber) -> DiskPlace {
        if name.bytes.count > NAME_MAX { throw ErrorNumber(code: ENAMETOOLONG) }
        let dot = UInt8(ascii: ".")
        let node =
            if name.bytes == [dot] { folder } else if name.bytes == [dot, dot] { folder.parent ?? folder } else {
                folder.names[name]
            }
        return DiskPlace(folder: folder, name: name, node: node)
    }
}
