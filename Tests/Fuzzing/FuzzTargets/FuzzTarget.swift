/// A parser of untrusted input, and the claims that hold for every input.
package struct FuzzTarget: Sendable, CustomStringConvertible {
    /// Names its folder in `Corpus`, its dictionary, and the target on the command line.
    package let name: String

    /// Parses `bytes`. Throws if a claim does not hold.
    package let check: @Sendable (_ bytes: [UInt8]) throws(BrokenClaim) -> Void

    package var description: String { name }

    package static let all: [FuzzTarget] = [
        chunks, contentRange, date, fields, validator, url, redirect, fileName, disposition, metalink, record, sidecar,
        journal, decision,
    ]

    package static func named(_ name: String) -> FuzzTarget? {
        all.first { $0.name == name }
    }
}

/// A claim about a parser that an input broke.
package struct BrokenClaim: Error, CustomStringConvertible {
    package let description: String
}

/// Throws `claim` unless `holds`.
func require(_ holds: Bool, _ claim: @autoclosure () -> String) throws(BrokenClaim) {
    if !holds { throw BrokenClaim(description: claim()) }
}
