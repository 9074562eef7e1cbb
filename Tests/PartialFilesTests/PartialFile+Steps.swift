import HTTPResumption
import HTTPSyntax
import PartialFiles
import Testing

// The steps of a download, shortened.

extension DownloadDirectory {
    func partial(
        of origin: HTTPURL,
        naming: FileNaming = .derived,
        replacesExisting: Bool = false
    ) throws -> PartialFile {
        try open(for: origin, naming: naming, replacing: replacesExisting ? .all : .none).partial
    }

    /// Calls `meddle` with 1, 2, 3... each time a name has been found and the file is not yet open.
    func partial(of origin: HTTPURL, meddling meddle: (_ turn: Int) -> Void) throws -> PartialFile {
        var turn = 0
        let opening = try open(for: origin, naming: .derived) { _ in
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
        naming: FileNaming = .derived,
        replacesExisting: Bool = false
    ) throws -> PartialFile {
        let file = try partial(of: origin, naming: naming, replacesExisting: replacesExisting)
        try file.begin(total: total, validator: nil, encoding: nil)
        try file.append(content)
        return file
    }

    /// Downloads the whole file.
    @discardableResult
    func fetch(
        _ origin: HTTPURL,
        _ content: String,
        naming: FileNaming = .derived,
        replacesExisting: Bool = false
    ) throws -> String {
        let file = try partial(of: origin, naming: naming, replacesExisting: replacesExisting)
        try file.truncate(to: 0)
        try file.begin(total: Int64(content.utf8.count), validator: .etag("\"v1\""), encoding: nil)
        try file.append(content)
        return try file.finish(replacing: replacesExisting)
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
        return try publish(replacing: replacing)
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

/// A URL of a test, which must parse.
func url(_ text: String) throws -> HTTPURL {
    try #require(try? HTTPURL(text), "\(text)")
}
