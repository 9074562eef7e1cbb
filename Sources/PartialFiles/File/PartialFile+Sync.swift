import Glibc
import Locking

extension PartialFile {
    /// Brings what was written to the medium and remembers that everything before `offset` is there. Slow; may run
    /// while another thread goes on writing.
    ///
    /// Once it fails it fails for good, for the kernel forgets what it could not write: cut back to `durableOffset`
    /// with `truncate(to:)`, and write the rest again.
    package func sync(through offset: Int64) throws(FileSystemError) {
        let cuts: Int? = try state.withLock { state throws(FileSystemError) in
            if let failure = state.syncFailure { throw failure }
            let isNews = offset > state.stored.record.durable?.offset ?? 0
            return isNews && !state.isClosed ? state.cuts : nil
        }
        guard let cuts else { return }
        try syncData()
        try state.withLock { state throws(FileSystemError) in
            // A mark may not speak for bytes that were cut off meanwhile, nor be left on a finished file.
            guard state.cuts == cuts, !state.isClosed else { return }
            var wanted = state.stored.record
            wanted.durable = DurableMark(offset: offset, boot: platform.boot)
            try state.stored.update(to: wanted, of: file, on: platform, durably: true)
        }
    }

    func syncData() throws(FileSystemError) {
        do throws(FileSystemError) {
            try file.call(.sync) { platform.sync(file.descriptor) }
        } catch {
            state.withLock { $0.syncFailure = error }
            throw error
        }
    }
}
