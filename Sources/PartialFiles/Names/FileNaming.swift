package import SpateHTTPSyntax

/// How a download's file gets its name.
package enum FileNaming: Hashable, Sendable {
    /// From the URL.
    case derived
    /// From the response, if that gives a name, or else from the URL. The partial file has the URL's name.
    case stated
    /// By the caller: only this name.
    case explicit(FileName)

    /// From the response if the URL does not name a file.
    package static func automatic(for origin: HTTPURL) -> FileNaming {
        origin.hasQuery || !origin.namesExtension ? .stated : .derived
    }

    package var isExplicit: Bool { if case .explicit = self { true } else { false } }

    /// The final names to try, best first, before there is a response.
    func candidates(for origin: HTTPURL) -> Candidates {
        switch self {
        case .explicit(let name): Candidates(explicit: name, origin: origin)
        case .derived, .stated: Candidates(derivedFrom: origin)
        }
    }

    /// The caller's name; or another one: plain, with the query, then with eight and sixteen digits of hash.
    package struct Candidates: Sequence, IteratorProtocol {
        let isExplicit: Bool
        let origin: HTTPURL
        private let preferred: FileName
        private let queried: FileName?
        private var tried = 0

        fileprivate init(explicit name: FileName, origin: HTTPURL) {
            (isExplicit, self.origin, preferred, queried) = (true, origin, name, nil)
        }

        fileprivate init(derivedFrom origin: HTTPURL) {
            let preferred = FileName(derivedFrom: origin)
            (isExplicit, self.origin, self.preferred) = (false, origin, preferred)
            queried = origin.hasQuery ? preferred.variant(forQueryOf: origin) : nil
        }

        /// The names if a response of the URL has given this one.
        init(stated name: FileName, origin: HTTPURL) {
            (isExplicit, self.origin, preferred, queried) = (false, origin, name, nil)
        }

        /// The first turn with a hash in the name. Names of later turns are used only if the one of this turn collides.
        package var hashTurn: Int { queried == nil ? 1 : 2 }

        package mutating func next() -> FileName? {
            defer { tried += 1 }
            if tried == 0 { return preferred }
            if isExplicit { return nil }
            if tried == 1, let queried { return queried }
            return switch tried - hashTurn {
            case 0: preferred.variant(URLHash(origin).digits8)
            case 1: preferred.variant(URLHash(origin).digits16)
            default: nil
            }
        }
    }
}
