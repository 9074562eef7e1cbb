/// One reader of foreign text, and what must hold for it whatever the text.
package struct FuzzTarget: Sendable, CustomStringConvertible {
    /// The name of its folder in `Corpus`, of its dictionary, and of it on the command line.
    package let name: String

    /// Reads `bytes`, and throws where something does not hold that should.
    package let check: @Sendable (_ bytes: [UInt8]) throws(BrokenClaim) -> Void

    package var description: String { name }

    package static let all: [FuzzTarget] = [
        chunks, contentRange, date, fields, validator, url, redirect, fileName, record, sidecar, decision,
    ]

    package static func named(_ name: String) -> FuzzTarget? {
        all.first { $0.name == name }
    }
}
