package import HTTPSyntax

/// How a download's file gets its name.
package enum FileNaming: Hashable, Sendable {
    /// From the URL, with a hash before the extension if the name is taken.
    case derived
    /// By the caller: only this name.
    case explicit(FileName)

    /// The final names to try, best first.
    package func candidates(for origin: HTTPURL) -> Candidates {
        Candidates(naming: self, origin: origin)
    }

    /// The final name if it is free.
    func preferred(for origin: HTTPURL) -> FileName {
        switch self {
        case .explicit(let name): name
        case .derived: FileName(derivedFrom: origin)
        }
    }

    /// The caller's name; or the derived name, plain, then with eight and sixteen digits of hash.
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
