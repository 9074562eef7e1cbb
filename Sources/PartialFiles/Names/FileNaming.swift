package import HTTPResumption

/// Who names a download's file.
package enum FileNaming: Hashable, Sendable {
    /// The URL does, with a hash of it before the extension where the name is another's.
    case derived
    /// The caller does: this name or none.
    case explicit(FileName)

    /// The final names to try, best first.
    package func candidates(for origin: HTTPURL) -> some Sequence<FileName> {
        sequence(state: 0) { (tried: inout Int) -> FileName? in
            defer { tried += 1 }
            switch (self, tried) {
            case (.explicit(let name), 0): return name
            case (.derived, 0): return FileName(derivedFrom: origin)
            case (.derived, 1): return FileName(derivedFrom: origin).variant(URLHash(origin).digits8)
            case (.derived, 2): return FileName(derivedFrom: origin).variant(URLHash(origin).digits16)
            default: return nil
            }
        }
    }

    /// The final name where nothing is in its way.
    func preferred(for origin: HTTPURL) -> String {
        switch self {
        case .explicit(let name): name.text
        case .derived: FileName(derivedFrom: origin).text
        }
    }
}
