import Glibc

/// The order of locks, outermost first. A thread that holds a lock may take only later ones. Locks without a rank are
/// innermost. Debug builds check this.
public enum LockRank: Int, CaseIterable, Sendable {
    /// The computation of a checksum, while it reads.
    case digest
    case attempt
    /// What the process has learned about hosts.
    case lessons
    /// A manager's queue, and its connections to each host.
    case feed
    case download
    /// The queue on disk.
    case journal
    /// The observers of a manager.
    case observers
    /// The state of one observer.
    case observer
    case operation
    /// A manager's table of downloads.
    case table
    /// A partial file.
    case file
}

#if DEBUG
    /// The ranks of the locks that a thread holds, one bit each.
    @usableFromInline enum HeldRanks {
        private static let key = {
            var key = pthread_key_t()
            pthread_key_create(&key, nil)
            return key
        }()

        private static var held: Int {
            get { Int(bitPattern: pthread_getspecific(key)) }
            set { pthread_setspecific(key, UnsafeRawPointer(bitPattern: newValue)) }
        }

        @usableFromInline static func take(_ rank: LockRank?) {
            guard let rank else { return }
            // Nothing is allocated unless it fails: tests count allocations.
            precondition(held >> rank.rawValue == 0, "The lock \(rank) is taken while \(ranks(held)) are held")
            held |= 1 << rank.rawValue
        }

        private static func ranks(_ held: Int) -> [LockRank] {
            LockRank.allCases.filter { held >> $0.rawValue & 1 == 1 }
        }

        @usableFromInline static func leave(_ rank: LockRank?) {
            if let rank { held &= ~(1 << rank.rawValue) }
        }
    }
#endif
