import HTTPResumption
import PartialFiles

/// Which downloads a manager knows, which names they have taken, and which attempts hold a file.
struct Registry {
    /// What there is of one URL.
    struct Slot {
        var download: Download?
        /// The name of its file.
        var name: NameClaims.Name?
        var holder: Holder?
    }

    /// The operation that runs, or is about to let go of the file although its download has gone on. Few have one.
    final class Holder {
        let operation: DownloadOperation
        /// The last that waits for it to do so, and is in no queue yet.
        var successor: QueuedAttempt?

        init(_ operation: DownloadOperation) { self.operation = operation }
    }

    private(set) var slots: [HTTPURL: Slot] = [:]
    private var names = NameClaims()
    private var lastSerial: UInt64 = 0

    mutating func nextSerial() -> UInt64 {
        lastSerial += 1
        return lastSerial
    }

    // MARK: Downloads

    /// It may have ended a moment ago: to ask it here would take its lock within the registry's, and a download takes
    /// them the other way round.
    func known(_ key: HTTPURL) -> Download? { slots[key]?.download }

    var all: [Download] { slots.values.compactMap(\.download).sorted { $0.serial < $1.serial } }

    /// The download that is known under this URL, or else a new one, with the best name that is free.
    mutating func enter(
        _ request: CheckedRequest,
        else make: (_ serial: UInt64) -> Download
    ) -> (download: Download, isNew: Bool) {
        let serial = lastSerial + 1
        let result = Self.enter(&slots[request.url, default: Slot()], request, names: &names) { make(serial) }
        if result.isNew { lastSerial = serial }
        return result
    }

    // The slot is looked up once for all that is done with it.
    private static func enter(
        _ slot: inout Slot,
        _ request: CheckedRequest,
        names: inout NameClaims,
        else make: () -> Download
    ) -> (download: Download, isNew: Bool) {
        if let known = slot.download { return (known, false) }
        let download = make()
        slot.download = download
        names.claim(for: request.url, in: request.directory, naming: request.naming, held: &slot.name)
        return (download, true)
    }

    /// Forgets this very download: one that has come after it under the same URL stays.
    mutating func remove(_ download: Download) {
        guard let key = download.key, let place = slots.index(forKey: key), slots.values[place].download === download
        else { return }
        slots.values[place].download = nil
        names.release(&slots.values[place].name)
        if slots.values[place].holder == nil { slots.remove(at: place) }
    }

    // MARK: Names

    /// Gives the name to the download of this URL, which lets go of the one it had; false when another has it.
    mutating func claim(_ name: String, in folder: String, for key: HTTPURL) -> Bool {
        names.claim(name, in: folder, for: key, held: &slots[key, default: Slot()].name)
    }

    /// Whether another download has this name.
    func isTaken(_ name: String, in folder: String, from key: HTTPURL) -> Bool {
        names.isTaken(name, in: folder, from: key)
    }

    // MARK: Attempts

    mutating func started(_ operation: DownloadOperation, of key: HTTPURL) {
        slots[key, default: Slot()].holder = Holder(operation)
    }

    /// Whether an attempt may go into the queue now. One that may not is given back by the end of the one that holds
    /// the file, unless another has come after it: then nobody wants it any more.
    mutating func admits(_ attempt: QueuedAttempt, of key: HTTPURL) -> Bool {
        guard let holder = slots[key]?.holder else { return true }
        holder.successor = attempt
        return false
    }

    /// The file is free: returns what has waited for it, which may go into the queue now.
    mutating func ended(_ operation: DownloadOperation, of key: HTTPURL) -> QueuedAttempt? {
        guard let place = slots.index(forKey: key), let holder = slots.values[place].holder,
            holder.operation === operation
        else { return nil }
        slots.values[place].holder = nil
        if slots.values[place].download == nil {
            // It may have claimed a name when its download was forgotten already.
            names.release(&slots.values[place].name)
            slots.remove(at: place)
        }
        return holder.successor
    }
}
