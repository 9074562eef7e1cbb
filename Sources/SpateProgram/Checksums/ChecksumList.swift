import Foundation
import Glibc
import Spate
import SpateConsole
import SpateFilePaths

/// The checksums of files by name, from lists such as SHA256SUMS.
struct ChecksumList: Sendable {
    private struct Entry {
        /// The name's parts between slashes.
        let path: [FilePath]
        let checksum: Checksum
    }

    /// By the last part of the name.
    private var entries: [FilePath: [Entry]] = [:]

    /// - Throws: why a file can't be read, or its first fault, with its line number.
    init(files: [String]) throws(UsageError) {
        for file in files { try read(file) }
    }

    /// The strongest checksum for the file's chosen name, or else for the name in its URL. `nil` if there is none, or if
    /// two lines contradict each other.
    func checksum(of source: DownloadURL, named name: String?) -> Checksum? {
        if entries.isEmpty { return nil }
        return name.flatMap { checksum(at: [FilePath($0)]) }
            ?? checksum(at: source.url.pathComponents.map { FilePath($0) })
    }

    /// Prefers the lines that match most of the path. The list may come from another folder, so the last part suffices
    /// if it is unambiguous.
    private func checksum(at path: [FilePath]) -> Checksum? {
        let named = path.last.flatMap { entries[$0] } ?? []
        let suffixes = named.filter { path.reversed().starts(with: $0.path.reversed()) }
        let longest = suffixes.map(\.path.count).max()
        let checksums = Set((longest == nil ? named : suffixes.filter { $0.path.count == longest }).map(\.checksum))
        // Strongest first.
        for algorithm in Checksum.Algorithm.allCases.reversed() {
            let candidates = checksums.filter { $0.algorithm == algorithm }
            if !candidates.isEmpty { return candidates.count == 1 ? candidates.first : nil }
        }
        return nil
    }

    /// The strongest checksum of each name, for the files in a folder. The list may come from another folder: if a path
    /// leads to nothing here, its last part counts, unless it is ambiguous.
    func files(in folder: URL) -> [FilePath: Checksum] {
        let folder = FilePath(folder.path)
        var files: [FilePath: Checksum] = [:]
        for (name, entries) in entries {
            let paths = Dictionary(grouping: entries) { FilePath($0.path.map(\.text).joined(separator: "/")) }
            for (path, entries) in paths {
                let leadsOut = entries.contains { $0.path.contains("..") }
                let isHere = !leadsOut && access(folder.appending(path).text, F_OK) == 0
                files[isHere || paths.count > 1 ? path : name] = Self.strongest(entries.map(\.checksum))
            }
        }
        return files
    }

    private static func strongest(_ checksums: [Checksum]) -> Checksum? {
        Checksum.Algorithm.allCases.reversed().lazy
            .compactMap { algorithm in checksums.first { $0.algorithm == algorithm } }.first
    }

    private mutating func read(_ path: String) throws(UsageError) {
        let file = OptionFile(
            option: "--checksums",
            path: path,
            unreadable: .unreadableChecksums,
            advice: "name a list of checksums, such as SHA256SUMS"
        )
        try file.forEachLine { (line) throws(UsageError) in try add(line) }
    }

    /// Ignores blank lines and comments.
    private mutating func add(_ text: String) throws(UsageError) {
        guard !text[...].trimmingSpaces.isEmpty, !text.hasPrefix("#") else { return }
        let line = try ChecksumLine(text)
        let path = FilePath(line.name).names.filter { $0 != "" && $0 != "." }
        guard let name = path.last else { return }
        let others = entries[name, default: []].filter { $0.path == path }.map(\.checksum)
        if others.contains(where: { $0.algorithm == line.checksum.algorithm && $0 != line.checksum }) {
            throw UsageError(
                .checksumLine,
                "\(PlainText.quoted(line.name)) has another checksum on an earlier line; remove the wrong one"
            )
        }
        entries[name, default: []].append(Entry(path: path, checksum: line.checksum))
    }
}
