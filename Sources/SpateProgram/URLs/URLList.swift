/// The URLs of the command line and of the input files, in order and without duplicates. Files are read on demand.
struct URLList: Sendable {
    private var words: ArraySlice<String>
    private var files: ArraySlice<InputFile>
    private var reader: InputFileReader?
    private var keys: Set<String> = []

    /// Whether every URL has been returned.
    private(set) var isAtEnd = false

    /// - Throws: what is wrong with an input file, as far as this is known without opening it.
    init(_ arguments: Arguments) throws(UsageError) {
        words = arguments.urls[...]
        files = arguments.inputs.map { InputFile(name: $0) }[...]
        // Do not open them here: a writer may open several pipes one after the other.
        for file in files { try file.check() }
    }

    /// The next URL, or `nil` at the end.
    ///
    /// - Throws: what is wrong with the next line. The following call continues after that line.
    mutating func next() throws(UsageError) -> DownloadURL? {
        while let source = try nextOfAll() {
            if keys.insert(source.key).inserted { return source }
        }
        isAtEnd = true
        return nil
    }

    /// The next `count` URLs, or fewer at the end.
    mutating func next(_ count: Int) throws(UsageError) -> [DownloadURL] {
        var urls: [DownloadURL] = []
        while urls.count < count, let source = try next() { urls.append(source) }
        return urls
    }

    private mutating func nextOfAll() throws(UsageError) -> DownloadURL? {
        if let word = words.popFirst() { return try source(word) }
        while true {
            if let source = try reader?.next() { return source }
            guard let file = files.popFirst() else { return nil }
            reader = try file.opened()
        }
    }

    private func source(_ word: String) throws(UsageError) -> DownloadURL {
        do {
            return try DownloadURL(word)
        } catch {
            throw MisplacedWord.fault(of: word) ?? error
        }
    }
}

/// Reads the rest of a list while its first URLs are fetched.
///
/// It has its own queue, because reading blocks if the list comes through a pipe with a slow writer.
actor URLListReader {
    struct Batch: Sendable {
        var urls: [DownloadURL] = []
        /// A message for each invalid line.
        var faults: [String] = []
        var isLast = false
    }

    private var list: URLList
    private let executor = QueueExecutor(label: "spate.list")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ list: URLList) {
        self.list = list
    }

    /// The next `count` URLs and faults, or fewer at the end.
    func next(_ count: Int) -> Batch {
        var batch = Batch()
        while batch.urls.count + batch.faults.count < count, !batch.isLast {
            do throws(UsageError) {
                if let source = try list.next() { batch.urls.append(source) } else { batch.isLast = true }
            } catch {
                batch.faults.append(error.message)
            }
        }
        return batch
    }
}
