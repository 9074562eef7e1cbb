import SpateFilePaths
import SpateQueueJournals

/// What a queue's journal has last written of a request besides its URL. Requests that share their options have the same,
/// so for the files of a list it is made once.
struct LastFields {
    private var last: (request: DownloadRequest, fields: JournalRecord.Fields)?

    mutating func fields(of enqueued: RequestField.Enqueued) -> JournalRecord.Fields {
        let request = enqueued.request
        if last?.request.hasOptions(of: request) == true, let fields = last?.fields { return fields }
        let fields = JournalRecord.Fields(JournalEntry(enqueued))
        // Its mirrors are those that are not its URL.
        last = request.mirrors.isEmpty ? (request, fields) : nil
        return fields
    }
}
