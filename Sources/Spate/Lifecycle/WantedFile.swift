import SpateLocking

/// What a download's file must be: the request says it, and its server's Metalink what the request leaves open.
struct WantedFile {
    private(set) var checksum: Checksum?
    private var given: Box<Metalink.File>?
    let expectedBytes: Int64?
    let maximumBytes: Int64?
    // What to do about a file that is there: see `verdict`.
    private(set) var replaces: Bool
    private(set) var checksForUpdate: Bool
    private(set) var repairs: Bool
    /// Whether any file of its name will do.
    let takesAnyFile: Bool

    /// - Parameter learned: what the server's Metalink says.
    init(_ request: borrowing DownloadRequest, _ learned: Metalink.File? = nil) {
        checksum = request.checksum ?? learned?.checksum
        given = request.options.$metalink ?? learned.map { Box($0) }
        (expectedBytes, maximumBytes) = (request.expectedBytes ?? given?.value.size, request.maximumBytes)
        (replaces, repairs) = (request.replacesExistingFile, request.repair != nil)
        checksForUpdate = request.checksForUpdate
        takesAnyFile = request.skipsExistingFile && !request.replacesExistingFile
    }

    var metalink: Metalink.File? { given?.value }

    /// The Metalink's file, if its pieces prove the wanted one. With a size that is not accepted it is another file.
    var pieced: Metalink.File? {
        metalink.flatMap { file in file.pieces != nil && file.size.map(accepts(size:)) ?? false ? file : nil }
    }

    /// Whether checksums prove the file, of the whole or of all its pieces. Then it does not matter who sends it.
    var isProvable: Bool { checksum != nil || pieced != nil }

    /// The same file, proven by its size alone, and not replaced.
    var bySizeAlone: WantedFile {
        var wanted = self
        (wanted.checksum, wanted.given) = (nil, nil)
        (wanted.replaces, wanted.checksForUpdate, wanted.repairs) = (false, false, false)
        return wanted
    }

    /// Whether the file may have this size.
    func accepts(size: Int64) -> Bool { size == expectedBytes ?? size && size <= maximumBytes ?? size }
}

extension Download {
    /// What its file must be, as far as it is known now. ``enqueuedRequest`` stays as the caller gave it.
    var wanted: WantedFile {
        // Most requests ask for no Metalink, and need no lock here.
        guard enqueuedRequest.usesServerMetalink else { return WantedFile(enqueuedRequest) }
        return WantedFile(enqueuedRequest, core.withLock { $0.serverMetalink.file })
    }

    /// Whether to read a Metalink that the server names.
    var looksForMetalink: Bool {
        guard enqueuedRequest.usesServerMetalink, enqueuedRequest.metalink == nil, !enqueuedRequest.asksOnly else {
            return false
        }
        return core.withLock { if case .unknown = $0.serverMetalink { true } else { false } }
    }
}
