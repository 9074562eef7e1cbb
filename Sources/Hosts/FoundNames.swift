/// The names of hosts that have answered. If a name server does not know such a name later, it may well come back.
package struct FoundNames: Sendable {
    /// The names themselves would take much memory in a run over very many hosts.
    private var hashes: Set<Int> = []

    /// With more, nothing is said about further names.
    private static let most = 1 << 16

    package init() {}

    /// A host has answered, so its name was found.
    package mutating func note(_ name: String) {
        if hashes.count < Self.most, !Self.isAddress(name) { hashes.insert(name.hashValue) }
    }

    /// Whether no host of this name has answered, though one of another name has: names can be found here.
    package func isNewAmongOthers(_ name: String) -> Bool {
        !hashes.isEmpty && hashes.count < Self.most && !hashes.contains(name.hashValue)
    }

    /// An address needs no name server.
    private static func isAddress(_ name: String) -> Bool {
        name.utf8.allSatisfy { $0 == UInt8(ascii: ".") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            || name.utf8.contains(UInt8(ascii: ":"))
    }
}
