/// Reads on in a list while what came first in it is fetched.
///
/// It has a queue of its own: a list may come through a pipe whose writer takes its time.
actor ListReader {
    /// What was read at one go.
    struct Batch: Sendable {
        var addresses: [Address] = []
        /// A sentence for each line that is wrong.
        var faults: [String] = []
        var isLast = false
    }

    private var list: AddressList
    private let executor = QueueExecutor(label: "spate.list")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ list: AddressList) {
        self.list = list
    }

    /// The next lines, as many as that unless they are the last.
    func next(_ count: Int) -> Batch {
        var batch = Batch()
        while batch.addresses.count + batch.faults.count < count, !batch.isLast {
            do throws(UsageError) {
                if let address = try list.next() { batch.addresses.append(address) } else { batch.isLast = true }
            } catch {
                batch.faults.append(error.message)
            }
        }
        return batch
    }
}
