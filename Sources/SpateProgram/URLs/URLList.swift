import Spate
import SpateConsole

/// The items of the command line and of the input files, in order and without duplicates. Files are read on demand.
struct URLList: Sendable {
    private var words: ArraySlice<String>
    /// The files of Metalinks.
    private var items: ArraySlice<DownloadItem>
    private var files: ArraySlice<InputFile>
    private var reader: InputFileReader?
    private let shard: DownloadShard?
    /// The URLs of all items.
    private var known = KnownURLs()
    /// The hashes of the items' own settings. Most items have none.
    private var particulars: [KnownURLs.Fingerprint: Int] = [:]

    /// The options of the files that have been read to their end, as far as they are not used.
    private(set) var unused = UnusedOptions()

    /// Whether every item has been returned.
    private(set) var isAtEnd = false

    /// Reads the Metalinks.
    ///
    /// - Parameter options: the logins and cookies for those that are fetched.
    /// - Throws: the fault of a Metalink, or of an input file if it shows without opening the file.
    init(_ arguments: Arguments, _ options: OptionFiles? = nil) throws(UsageError) {
        words = arguments.urls[...]
        shard = arguments.shard
        items = []
        for name in arguments.metalinks {
            items += try MetalinkSource(name: name, arguments: arguments, files: options).items()
        }
        files = arguments.inputs.map { InputFile(name: $0, keepsLines: arguments.failed != nil) }[...]
        // Do not open them here: a writer may open several pipes one after the other.
        for file in files { try file.check() }
    }

    /// The next item, if it comes in time.
    ///
    /// - Parameter deadline: when to return without an item; `nil` for never.
    /// - Throws: the fault of the next line. The following call continues after that line.
    mutating func next(until deadline: @autoclosure () -> ContinuousClock.Instant?) throws(UsageError) -> ListStep {
        while true {
            switch try nextOfAll(until: deadline()) {
            case .item(let item): if try isNew(item) { return .item(item) }
            case .nothingYet: return .nothingYet
            case .end:
                isAtEnd = true
                return .end
            }
        }
    }

    /// The next `count` items, or fewer at the end.
    mutating func next(_ count: Int) throws(UsageError) -> [DownloadItem] {
        var items: [DownloadItem] = []
        while items.count < count, case .item(let item) = try next(until: nil) { items.append(item) }
        return items
    }

    /// The first `count` items, or fewer at the end or if the others are not there at once, and what is wrong with lines
    /// among them that are for another program: aria2 writes magnet and ftp links into the same session. The others are
    /// fetched nevertheless.
    ///
    /// - Parameter least: how many to wait for.
    /// - Throws: any other fault, or the first one if there is nothing else.
    mutating func first(
        _ count: Int,
        atLeast least: Int = 1
    ) throws(UsageError) -> (items: [DownloadItem], faults: [String]) {
        var items: [DownloadItem] = []
        var faults: [UsageError] = []
        var deadline: ContinuousClock.Instant?
        reading: while items.count + faults.count < count {
            if deadline == nil, items.count + faults.count >= least {
                deadline = reader?.isQuiet ?? false ? .now : .now + InputFileReader.moment
            }
            do throws(UsageError) {
                switch try next(until: deadline) {
                case .item(let item): items.append(item)
                case .nothingYet, .end: break reading
                }
            } catch {
                guard reader != nil, error.kind == .otherScheme else { throw error }
                faults.append(error)
            }
        }
        if items.isEmpty, isAtEnd, let first = faults.first { throw first }
        return (items, faults.map(\.message))
    }

    /// - Throws: if an earlier item has the same URL but other settings, because neither can be preferred.
    private mutating func isNew(_ item: DownloadItem) throws(UsageError) -> Bool {
        let url = KnownURLs.Fingerprint(of: item.source)
        let isNew = known.insert(url)
        let (own, earlier) = (item.particulars, particulars[url])
        guard own != earlier else { return isNew }
        particulars[url] = own
        guard !isNew else { return true }
        let error = UsageError(
            .contradictingURLs,
            "\(item.source.shown) is given twice, and not with the same login, name, folder, headers, mirrors and checksum; "
                + "leave one of them out"
        )
        throw reader.map { error.found(at: $0.location) } ?? error
    }

    private mutating func nextOfAll(
        until deadline: @autoclosure () -> ContinuousClock.Instant?
    ) throws(UsageError) -> ListStep {
        if let word = words.popFirst() { return .item(DownloadItem(source: try source(word))) }
        while let item = items.popFirst() {
            if shard?.contains(item.source.url) ?? true { return .item(item) }
        }
        while true {
            switch try reader?.next(until: deadline()) {
            case .item(let item): if shard?.contains(item.source.url) ?? true { return .item(item) }
            case .nothingYet: return .nothingYet
            case .end, nil:
                if let ended = reader.take() { unused.add(ended.unused, of: ended.name) }
                guard let file = files.popFirst() else { return .end }
                reader = try file.opened()
            }
        }
    }

    private func source(_ word: String) throws(UsageError) -> DownloadURL {
        if let pattern = URLPattern(word) { throw pattern.fault }
        do {
            return try DownloadURL(word)
        } catch {
            throw MisplacedWord.fault(of: word) ?? error
        }
    }
}

/// Reads the rest of a list while its first items are fetched.
///
/// Has its own queue, because reading blocks if the list comes through a pipe with a slow writer.
actor URLListReader: QueueActor {
    struct Batch: Sendable {
        var items: [DownloadItem] = []
        /// A message for each invalid line.
        var faults: [String] = []
        var isLast = false
        /// Of the whole list, at its end.
        var unused = UnusedOptions()
    }

    private var list: URLList
    nonisolated let executor = QueueExecutor(label: "spate.list")

    init(_ list: URLList) {
        self.list = list
    }

    /// The next `count` items and faults, or fewer at the end. Waits for the first of them, and takes the others that
    /// are there.
    func next(_ count: Int) -> Batch {
        var batch = Batch()
        while batch.items.count + batch.faults.count < count, !batch.isLast {
            let isEmpty = batch.items.isEmpty && batch.faults.isEmpty
            do throws(UsageError) {
                switch try list.next(until: isEmpty ? nil : .now) {
                case .item(let item): batch.items.append(item)
                case .nothingYet: return batch
                case .end: batch.isLast = true
                }
            } catch {
                batch.faults.append(error.message)
            }
        }
        if batch.isLast { batch.unused = list.unused }
        return batch
    }
}
