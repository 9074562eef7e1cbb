package import SpateFilePaths
import SpateHTTPSyntax
package import SpatePartialFiles

/// The stored part of a request: its URL and its fields, as texts. No headers, no user, no password.
///
/// What each field means is the request's matter. Fields of a later version mean nothing.
package struct JournalEntry: Hashable, Sendable {
    /// The canonical text of the URL.
    package var url: String
    /// In the order of the line. Fields with their default are not written.
    private(set) var fields: [Field] = []

    struct Field: Hashable {
        let name: String
        let value: String
    }

    package init(url: String) {
        self.url = url
    }

    /// Whether it says no more than the URL.
    package var isPlain: Bool { fields.isEmpty }
}

extension JournalEntry {
    /// The values of a field that may be repeated.
    package subscript(all name: String) -> [String] {
        get { fields.filter { $0.name == name }.map(\.value) }
        set {
            fields.removeAll { $0.name == name }
            fields += newValue.map { Field(name: name, value: $0) }
        }
    }

    /// The value of a field. If it is repeated, the last counts.
    package subscript(name: String) -> String? {
        get { fields.last { $0.name == name }?.value }
        set { self[all: name] = newValue.map { [$0] } ?? [] }
    }

    /// A letter for each option that is set.
    package var options: String.UnicodeScalarView {
        get { self["options"]?.unicodeScalars ?? "".unicodeScalars }
        set { self["options"] = newValue.isEmpty ? nil : String(newValue) }
    }

    /// The value of the first of these options that is set.
    package func value<Value>(of letters: KeyValuePairs<Unicode.Scalar, Value>) -> Value? {
        guard let options = self["options"]?.unicodeScalars else { return nil }
        return letters.first { options.contains($0.key) }?.value
    }

    package var fileName: FilePath? { self["name"].map { FilePath($0) } }

    /// The path of a folder other than the journal's.
    package var folder: FilePath? { self["folder"].map { FilePath($0) } }

    /// How many parts of the URL's path are left out, where host and path become folders; nil if they do not.
    package var cutURLFolders: Int? { self["cut"].flatMap { Int($0) } }

    /// The harmless part of an entry that anybody may have written: stays in the journal's folder, replaces nothing.
    var confined: JournalEntry {
        var entry = self
        entry["folder"] = nil
        // r: replaces a file. p: repairs one.
        entry.options.removeAll { $0 == "r" || $0 == "p" }
        return entry
    }

    /// The claim of its request; nil if its URL cannot be downloaded.
    package func claim(ownFolder: FilePath) -> FileClaim? {
        guard let origin = try? HTTPURL(url) else { return nil }
        let folder = folder ?? ownFolder
        if let fileName, fileName.names.count > 1, let path = try? RelativePath(fileName) {
            return FileClaim(origin, at: path, in: folder)
        }
        var naming: FileNaming =
            options.contains("n") ? .stated : options.contains("a") ? .automatic(for: origin) : .derived
        if let name = fileName.flatMap({ try? FileName(explicit: $0.text) }) { naming = .explicit(name) }
        return FileClaim(origin, cuttingURLFolders: cutURLFolders, in: folder, naming: naming)
    }

    /// Equal for entries whose file has the same URL, folder and best name.
    package func placeHash(ownFolder: FilePath) -> Int { claim(ownFolder: ownFolder)?.placeHash ?? url.hashValue }
}

extension JournalEntry {
    init?(fields bytes: ArraySlice<UInt8>) {
        let parts = bytes.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
        guard let url = parts.first.flatMap(Self.text), !url.isEmpty else { return nil }
        self.init(url: url)
        for part in parts.dropFirst() {
            guard let equals = part.firstIndex(of: UInt8(ascii: "=")),
                let name = String(validating: part[..<equals], as: UTF8.self),
                let value = Self.text(part[(equals + 1)...])
            else { return nil }
            fields.append(Field(name: name, value: value))
        }
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
