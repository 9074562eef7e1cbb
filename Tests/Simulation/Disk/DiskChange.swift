/// The loss of a name or of a file's bytes, and who caused it.
package struct DiskChange: Sendable {
    package enum Kind: Sendable {
        /// The name was removed.
        case removed
        /// Another file got the name by a rename.
        case replaced
        /// The name was given up for another one.
        case renamed
        /// Bytes of the file were written over, or it was truncated.
        case edited
        /// A process wrote to a file that another one has locked for itself.
        case writtenUnderLock
        /// A process goes on with bytes that another one's failed sync has lost, which it cannot know.
        case resumedAfterLoss
    }

    package let time: Duration
    package let kind: Kind
    package let actor: DiskActor
    /// The path below which the file was.
    package let path: String
    /// The inode that lost it, and who made that.
    package let file: UInt64
    package let maker: DiskActor
    /// Whether it still has another name.
    package let hasOtherName: Bool

    /// Whether one of our processes did this to what it, or another of ours, did not make.
    package var isHarm: Bool {
        switch kind {
        case .writtenUnderLock: true
        case .resumedAfterLoss: false
        case .removed, .replaced, .renamed, .edited: !actor.isOutsider && maker.isOutsider
        }
    }
}
