import Glibc
import SpateExtendedAttributes
import SpateFileSystemCalls

/// The attributes of an open file of a simulated disk.
struct SimulatedAttributes: FileAttributes {
    let disk: SimulatedDisk
    let descriptor: CInt
    let caller: DiskCaller

    func text(of name: String) throws(ErrorNumber) -> String? {
        let description = try description("read", name)
        return description.node.attributes[name].flatMap { String(validating: $0, as: UTF8.self) }
    }

    func names() throws(ErrorNumber) -> [String] {
        try description("list", "user.").node.attributes.keys.sorted()
    }

    func set(_ name: String, to text: String) throws(ErrorNumber) {
        try put(Array(text.utf8), name, of: try description("set", name))
    }

    func add(_ name: String, _ text: String) throws(ErrorNumber) -> Bool {
        let description = try description("set", name)
        if description.node.attributes[name] != nil { return false }
        try put(Array(text.utf8), name, of: description)
        return true
    }

    func remove(_ name: String) throws(ErrorNumber) {
        let description = try description("remove", name)
        if description.node.attributes[name] == nil { return }
        if let code = disk.faults.attributes { throw ErrorNumber(code: code) }
        disk.change(name, to: nil, of: description, caller)
    }

    private func put(
        _ value: [UInt8],
        _ name: String,
        of description: OpenDescription
    ) throws(ErrorNumber) {
        if let code = disk.faults.attributes { throw ErrorNumber(code: code) }
        var others = description.node.attributes
        others[name] = nil
        let used = others.values.reduce(others.keys.reduce(0) { $0 + $1.utf8.count + 16 }) { $0 + $1.count }
        if used + name.utf8.count + 16 + value.count > disk.traits.attributeRoom { throw ErrorNumber(code: ENOSPC) }
        disk.change(name, to: value, of: description, caller)
    }

    private func description(_ operation: String, _ name: String) throws(ErrorNumber) -> OpenDescription {
        try caller.begin("\(operation) attribute")
        let description = try disk.description(descriptor, caller)
        if !disk.traits.hasAttributes || !name.hasPrefix("user.") { throw ErrorNumber(code: ENOTSUP) }
        if description.node.kind == .pipe, operation != "read" { throw ErrorNumber(code: EPERM) }
        return description
    }
}

extension SimulatedDisk {
    func change(_ name: String, to value: [UInt8]?, of description: OpenDescription, _ caller: DiskCaller) {
        description.node.attributes[name] = value
        description.node.changed = caller.time
        note(.attribute(description.node, name, value), caller)
        noteAttributes(of: description)
    }
}
