import Glibc

/// The order in which a thread may take locks, outermost first: never one that stands before a lock that it holds. Locks
/// without a rank are innermost. Debug builds check it.
public enum LockRank: Int, CaseIterable, Sendable {
    /// What computes a checksum, while it reads.
    case digest
    case attempt
    /// What the process has learned of hosts.
    case lessons
    /// The lines of a manager, and its connections to each host.
    case feed
    case download
    /// The queue on disk.
    case journal
    /// The observers of a manager.
    case observers
    /// An observer's own.
    case observer
    case operation
    /// The known downloads of a manager.
    case table
    /// A partial file.
    case file
}

#if DEBUG
    /// The ranks of the locks that a thread holds, a bit for each.
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
