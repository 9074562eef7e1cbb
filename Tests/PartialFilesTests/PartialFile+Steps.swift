import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPResumption
import SpateHTTPSyntax
import SpatePartialFiles
import Testing

// The steps of a download, shortened.

extension DownloadDirectory {
    func partial(
        of origin: HTTPURL = origin,
        naming: FileNaming = .derived,
        replacesExisting: Bool = false
    ) throws -> PartialFile {
        try open(claim(origin, naming), isOfDocument: false, replacing: replacesExisting ? .all : .none).partial
    }

    /// Calls `meddle` with 1, 2, 3... each time a name has been found and the file is not yet open.
    func partial(of origin: HTTPURL = origin, meddling meddle: (_ turn: Int) -> Void) throws -> PartialFile {
        var turn = 0
        let opening = try open(claim(origin, .derived), isOfDocument: false) { _ in
            turn += 1
            meddle(turn)
            return false
        }
        return try opening.partial
    }

    /// A partial file of `total` bytes that has the first of them.
    func begun(
        _ origin: HTTPURL,
        _ content: String = "",
        total: Int64 = 9,
        naming: FileNaming = .derived
    ) throws -> PartialFile {
        let file = try partial(of: origin, naming: naming)
        try file.begin(total: total, validator: nil, encoding: nil)
        try file.append(content)
        return file
    }

    /// Downloads the whole file.
    @discardableResult
    func fetch(_ origin: HTTPURL, _ content: String, naming: FileNaming = .derived) throws -> String {
        let file = try partial(of: origin, naming: naming)
        try file.truncate(to: 0)
        try file.begin(total: Int64(content.utf8.count), validator: .etag("\"v1\""), encoding: nil)
        try file.append(content)
        return try file.finish()
    }
}

// The same for the URL of most tests.

extension DownloadDirectory {
    func finishedFile() throws -> StoredFile? { try finishedFile(claim(origin, .derived)) }

    func delete() throws { try delete(claim(origin, .derived)) }

    func begun(_ content: String, total: Int64 = 9) throws -> PartialFile {
        try begun(origin, content, total: total)
    }

    @discardableResult
    func fetch(_ content: String, naming: FileNaming = .derived) throws -> String {
        try fetch(origin, content, naming: naming)
    }
}

extension DownloadDirectory.Opening {
    var partial: PartialFile {
        get throws {
            guard case .partial(let file) = self else { throw UnexpectedOpening(opening: self) }
            return file
        }
    }
}

extension PartialFile {
    /// Syncs and publishes what is there.
    @discardableResult
    func finish(replacing: Bool = false) throws -> String {
        try prepareToPublish(size: held.length)
        return try publish(replacing: replacing ? .all : .none).path.text
    }

    /// Writes at the end.
    func append(_ content: String) throws {
        try write(content, at: held.length)
    }

    @discardableResult
    func write(_ content: String, at offset: Int64) throws -> Bool {
        try Array(content.utf8).withUnsafeBytes { bytes in try write(bytes, at: offset) != nil }
    }

    func compare(_ content: String, at offset: Int64) throws -> Bool {
        try Array(content.utf8).withUnsafeBytes { bytes in try compare(bytes, at: offset) }
    }

    func matches(_ content: [UInt8], at offset: Int64) throws -> Bool {
        try content.withUnsafeBytes { bytes in try matches(bytes, at: offset) }
    }
}

struct UnexpectedOpening: Error {
    let opening: DownloadDirectory.Opening
}

extension FileNaming {
    static func named(_ name: String) throws -> FileNaming { .explicit(try FileName(explicit: name)) }
}

/// How a call on files fails; `nil`, and a failed test, if it does not.
func failure<Value>(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Value
) -> FileSystemError? {
    #expect(throws: FileSystemError.self, sourceLocation: sourceLocation) { _ = try body() }
}

/// The URL of most tests.
let origin: HTTPURL = {
    guard let url = try? HTTPURL("http://host/x.zip") else { preconditionFailure("it is a URL") }
    return url
}()

/// A URL of a test, which must parse.
func url(_ text: String) throws -> HTTPURL {
    try #require(try? HTTPURL(text), "\(text)")
}

extension DownloadDirectory {
    func claim(_ origin: HTTPURL, _ naming: FileNaming) -> FileClaim {
        FileClaim(origin, in: path, below: root, naming: naming)
    }
}
