package import HTTPResumption

/// Who names a download's file.
package enum FileNaming: Hashable, Sendable {
    /// The URL does, with a hash of it before the extension where the name is another's.
    case derived
    /// The caller does: this name or none.
    case explicit(FileName)

    /// The final names to try, best first.
    package func candidates(for origin: HTTPURL) -> Candidates {
        Candidates(naming: self, origin: origin)
    }

    /// The final name where nothing is in its way.
    func preferred(for origin: HTTPURL) -> FileName {
        switch self {
        case .explicit(let name): name
        case .derived: FileName(derivedFrom: origin)
        }
    }

    /// One name that the caller chose; or the derived name, and that with eight and with sixteen digits of hash.
    package struct Candidates: Sequence, IteratorProtocol {
        private let isDerived: Bool
        private let origin: HTTPURL
        private let preferred: FileName
        private var tried = 0

        init(naming: FileNaming, origin: HTTPURL) {
            isDerived = naming == .derived
            self.origin = origin
            preferred = naming.preferred(for: origin)
        }

        package mutating func next() -> FileName? {
            defer { tried += 1 }
            switch tried {
            case 0: return preferred
            case 1 where isDerived: return preferred.variant(URLHash(origin).digits8)
            case 2 where isDerived: return preferred.variant(URLHash(origin).digits16)
            default: return nil
            }
        }
    }
}
