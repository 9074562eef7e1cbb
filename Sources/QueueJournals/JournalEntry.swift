package import SpateFilePaths
import SpateHTTPSyntax

/// The stored part of a request: no headers, no user, no password.
package struct JournalEntry: Hashable, Sendable {
    /// The canonical text of the URL.
    package var url: String
    package var fileName: FilePath?
    /// Who names the file without a `fileName`; nil: the URL does.
    package var naming: Naming?
    /// The path of a folder other than the journal's.
    package var folder: FilePath?
    /// How many parts of the URL's path are left out, where host and path become folders; nil if they do not.
    package var cutURLFolders: Int?
    /// 0 is normal; higher comes first.
    package var priority: Int
    package var expectedBytes: Int64?
    package var maximumBytes: Int64?
    /// The algorithm, a colon, and the digest in hexadecimal digits.
    package var checksum: String?
    /// The size of the file and the checksums of its pieces, as a request writes them.
    package var pieces: String?
    package var mirrors: [String]
    /// 0 leaves the number to Spate.
    package var connections: Int?
    package var replacesExistingFile: Bool
    package var allowsInsecureRedirects: Bool
    package var checksForUpdate: Bool
    package var skipsExistingFile: Bool
    package var repairs: Bool
    package var keepsServerTime: Bool?
    package var usesServerMetalink: Bool
    /// Whether a document chose the URL.
    package var isChosenByDocument: Bool
    package var maxBytesPerSecond: Int64?

    package enum Naming: Sendable, CaseIterable {
        case server, automatic

        fileprivate var option: Character {
            switch self {
            case .server: "n"
            case .automatic: "a"
            }
        }
    }

    package init(
        url: String,
        fileName: FilePath? = nil,
        naming: Naming? = nil,
        folder: FilePath? = nil,
        cutURLFolders: Int? = nil,
        priority: Int = 0,
        expectedBytes: Int64? = nil,
        maximumBytes: Int64? = nil,
        checksum: String? = nil,
        pieces: String? = nil,
        mirrors: [String] = [],
        connections: Int? = nil,
        replacesExistingFile: Bool = false,
        allowsInsecureRedirects: Bool = false,
        checksForUpdate: Bool = false,
        skipsExistingFile: Bool = false,
        repairs: Bool = false,
        keepsServerTime: Bool? = nil,
        usesServerMetalink: Bool = false,
        isChosenByDocument: Bool = false,
        maxBytesPerSecond: Int64? = nil
    ) {
        self.url = url
        self.fileName = fileName
        self.naming = naming
        self.folder = folder
        self.cutURLFolders = cutURLFolders
        self.priority = priority
        self.expectedBytes = expectedBytes
        self.maximumBytes = maximumBytes
        self.checksum = checksum
        self.pieces = pieces
        self.mirrors = mirrors
        self.connections = connections
        self.replacesExistingFile = replacesExistingFile
        self.allowsInsecureRedirects = allowsInsecureRedirects
        self.checksForUpdate = checksForUpdate
        self.skipsExistingFile = skipsExistingFile
        self.repairs = repairs
        self.keepsServerTime = keepsServerTime
        self.usesServerMetalink = usesServerMetalink
        self.isChosenByDocument = isChosenByDocument
        self.maxBytesPerSecond = maxBytesPerSecond
    }
}

extension JournalEntry {
    /// The harmless part of an entry that anybody may have written: stays in the journal's folder, replaces nothing.
    var confined: JournalEntry {
        var entry = self
        (entry.folder, entry.replacesExistingFile, entry.repairs) = (nil, false, false)
        return entry
    }

    /// Equal for entries whose file has the same URL, folder and chosen name.
    package var placeHash: Int {
        WorkHash(of: url).ofPlace(folder, cutURLFolders: cutURLFolders, chosenName)
    }

    /// Its name, unless it is the URL's.
    package var chosenName: FilePath? { WorkHash.chosenName(fileName, besides: try? HTTPURL(url)) }

    /// Whether an entry of an earlier version, which did not say it, may be of a Metalink: it has what a Metalink says.
    private var mayBeOfDocument: Bool {
        pieces != nil || expectedBytes != nil || checksum != nil || !mirrors.isEmpty
    }

    /// The names of the fields. Fields with their default are not written.
    enum Field: String {
        case fileName = "name"
        case folder
        case cutURLFolders = "cut"
        case priority
        case expectedBytes = "size"
        case maximumBytes = "max"
        case checksum
        case pieces
        case mirror
        case connections
        case rate
        case options
    }

    func forEachField(_ body: (Field, String) -> Void) {
        if let fileName { body(.fileName, fileName.text) }
        if let folder { body(.folder, folder.text) }
        if let cutURLFolders { body(.cutURLFolders, String(cutURLFolders)) }
        if priority != 0 { body(.priority, String(priority)) }
        if let expectedBytes { body(.expectedBytes, String(expectedBytes)) }
        if let maximumBytes { body(.maximumBytes, String(maximumBytes)) }
        if let checksum { body(.checksum, checksum) }
        if let pieces { body(.pieces, pieces) }
        for mirror in mirrors { body(.mirror, mirror) }
        if let connections { body(.connections, String(connections)) }
        if let maxBytesPerSecond { body(.rate, String(maxBytesPerSecond)) }
        var options = ""
        if replacesExistingFile { options += "r" }
        if allowsInsecureRedirects { options += "i" }
        if checksForUpdate { options += "u" }
        if skipsExistingFile { options += "s" }
        if repairs { options += "p" }
        if let keepsServerTime { options += keepsServerTime ? "t" : "w" }
        if usesServerMetalink { options += "m" }
        // d: a document. o: the caller itself.
        if isChosenByDocument != mayBeOfDocument { options += isChosenByDocument ? "d" : "o" }
        if let naming { options.append(naming.option) }
        if !options.isEmpty { body(.options, options) }
    }

    /// Skips unknown options. Of a repeated field the last counts, except for mirrors.
    ///
    /// - Parameter noteOther: called with the name and value of each other field.
    init?(fields bytes: ArraySlice<UInt8>, _ noteOther: (String, String) -> Void = { _, _ in }) {
        let parts = bytes.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
        guard let url = parts.first.flatMap(Self.text), !url.isEmpty else { return nil }
        self.init(url: url)
        var chooser: Bool?
        for part in parts.dropFirst() {
            guard let equals = part.firstIndex(of: UInt8(ascii: "=")),
                let name = String(validating: part[..<equals], as: UTF8.self),
                let value = Self.text(part[(equals + 1)...])
            else { return nil }
            guard let field = Field(rawValue: name) else {
                noteOther(name, value)
                continue
            }
            switch field {
            case .fileName: fileName = FilePath(value)
            case .folder: folder = FilePath(value)
            case .cutURLFolders: cutURLFolders = Int(value)
            case .priority: priority = Int(value) ?? 0
            case .expectedBytes: expectedBytes = Int64(value)
            case .maximumBytes: maximumBytes = Int64(value)
            case .checksum: checksum = value
            case .pieces: pieces = value
            case .mirror: mirrors.append(value)
            case .connections: connections = Int(value)
            case .rate: maxBytesPerSecond = Int64(value)
            case .options:
                naming = value.lazy.compactMap { option in Naming.allCases.first { $0.option == option } }.first
                replacesExistingFile = value.utf8.contains(UInt8(ascii: "r"))
                allowsInsecureRedirects = value.utf8.contains(UInt8(ascii: "i"))
                checksForUpdate = value.utf8.contains(UInt8(ascii: "u"))
                skipsExistingFile = value.utf8.contains(UInt8(ascii: "s"))
                repairs = value.utf8.contains(UInt8(ascii: "p"))
                usesServerMetalink = value.utf8.contains(UInt8(ascii: "m"))
                chooser =
                    value.utf8.contains(UInt8(ascii: "d")) ? true : value.utf8.contains(UInt8(ascii: "o")) ? false : nil
                // t: the server's time. w: the time of the write.
                keepsServerTime =
                    value.utf8.contains(UInt8(ascii: "t")) ? true : value.utf8.contains(UInt8(ascii: "w")) ? false : nil
            }
        }
        isChosenByDocument = chooser ?? mayBeOfDocument
    }

    private static func text(_ value: ArraySlice<UInt8>) -> String? {
        guard value.contains(UInt8(ascii: "\\")) else { return String(validating: value, as: UTF8.self) }
        var bytes: [UInt8] = []
        var rest = value.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            switch rest.next() {
            case UInt8(ascii: "n"): bytes.append(UInt8(ascii: "\n"))
            case UInt8(ascii: "t"): bytes.append(UInt8(ascii: "\t"))
            case UInt8(ascii: "\\"): bytes.append(UInt8(ascii: "\\"))
            default: return nil
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
