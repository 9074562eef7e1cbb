package import HTTPResumption

/// A file of Spate's that stands in a folder.
package struct StoredFile: Hashable, Sendable {
    package enum Condition: Hashable, Sendable {
        case finished
        case partial
        /// It has a final name, and not the size that it had when it was finished; or the power went before it was on
        /// the medium.
        case damaged
    }

    package let path: String
    /// The name it has now.
    package let name: String
    /// The name it has, or will have, when it is finished.
    package let finalName: String
    package let origin: HTTPURL
    /// How many bytes are there; of a partial file, how many of them a resume would build on.
    package let size: Int64
    package let total: Int64?
    package let condition: Condition
    /// Whether somebody is writing it at this moment.
    package let isInUse: Bool

    package var isFinished: Bool { condition == .finished }

    /// How the name came about: asking with this finds the file again.
    package var naming: FileNaming {
        let isDerived = FileNaming.derived.candidates(for: origin).contains {
            $0.text.utf8.elementsEqual(finalName.utf8)
        }
        guard !isDerived, let name = try? FileName(explicit: finalName) else { return .derived }
        return .explicit(name)
    }
}
