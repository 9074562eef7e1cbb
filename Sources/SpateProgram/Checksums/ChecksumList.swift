import Foundation
import Spate
import SpateConsole
import SpateFilePaths

/// The checksums of files by name, from lists such as SHA256SUMS. ``answer(for:where:)`` is the one rule that says which
/// is a file's.
struct ChecksumList: Sendable {
    /// What the list says about a file.
    struct Answer {
        /// Those that match most of its path.
        fileprivate(set) var lines: [ChecksumLine] = []

        /// The strongest checksum of the lines; `nil` if there is none, or if two lines contradict each other.
        var checksum: Checksum? {
            let checksums = Set(lines.map(\.checksum))
            let strongest = Checksum.Algorithm.allCases.last { algorithm in
                checksums.contains { $0.algorithm == algorithm }
            }
            let candidates = checksums.filter { $0.algorithm == strongest }
            return candidates.count == 1 ? candidates.first : nil
        }

        /// Whether two lines contradict each other.
        var isContradictory: Bool { !lines.isEmpty && checksum == nil }
    }

    /// By the last part of the path, and by the last two: a tree may have very many files of one name.
    private var lines: [[FilePath]: [ChecksumLine]] = [:]

    /// - Throws: why a file can't be read, or its first fault, with its line number.
    init(files: [String]) throws(UsageError) {
        for path in files {
            let file = OptionFile(
                option: "--checksums",
                path: path,
                unreadable: .unreadableChecksums,
                advice: "name a list of checksums, such as SHA256SUMS"
            )
            try file.forEachLine { (line) throws(UsageError) in try add(line) }
        }
    }

    var isEmpty: Bool { lines.isEmpty }
    var all: some Sequence<ChecksumLine> { lines.lazy.filter { $0.key.count == 1 }.flatMap(\.value) }

    /// The lines for a file: of those with its name, the ones that match most of its path or of its URL, from the end.
    /// The list may come from another folder, so the name alone suffices. But a line whose whole path matches is preferred
    /// to one that names another folder.
    ///
    /// - Parameters:
    ///   - paths: the parts of the file's path, and then of its URL. If the list does not have the name of the first, that
    ///     of the second counts.
    ///   - mayCount: whether a line may be the file's.
    func answer(for paths: [[FilePath]], where mayCount: (ChecksumLine) -> Bool = { _ in true }) -> Answer {
        var (answer, best) = (Answer(), 0)
        guard let name = paths.lazy.compactMap(\.last).first(where: { lines[[$0]] != nil }) else { return answer }
        for count in [2, 1] where answer.lines.isEmpty {
            let ends = Set(paths.filter { $0.last == name }.map { Array($0.suffix(count)) })
            for line in ends.lazy.flatMap({ lines[$0] ?? [] }) where mayCount(line) {
                let match = paths.map(line.match).max() ?? 0
                if match > best { (answer, best) = (Answer(), match) }
                if match == best { answer.lines.append(line) }
            }
        }
        return answer
    }

    /// Ignores blank lines and comments.
    private mutating func add(_ text: String) throws(UsageError) {
        guard !text[...].trimmingSpaces.isEmpty, !text.hasPrefix("#") else { return }
        let line = try ChecksumLine(text)
        guard !line.path.isEmpty else { return }
        let ends = Set([1, 2].map { Array(line.path.suffix($0)) })
        let alike = lines[Array(line.path.suffix(2))] ?? []
        let others = alike.filter { $0.path == line.path }.map(\.checksum)
        if others.contains(where: { $0.algorithm == line.checksum.algorithm && $0 != line.checksum }) {
            throw UsageError(
                .checksumLine,
                "\(PlainText.quoted(line.name)) has another checksum on an earlier line; remove the wrong one"
            )
        }
        for end in ends { lines[end, default: []].append(line) }
    }
}

extension ChecksumLine {
    /// How much of a path the line matches, from the end; 0 if it has another name.
    fileprivate func match(_ other: [FilePath]) -> Int {
        let count = zip(path.reversed(), other.reversed()).prefix { $0 == $1 }.count
        return 2 * count + (count == path.count ? 1 : 0)
    }
}

extension ChecksumList {
    /// The lines for the file of a request.
    ///
    /// - Parameter folder: the path of the folder if the request has no other.
    func answer(for request: DownloadRequest, in folder: String) -> Answer {
        if isEmpty { return Answer() }
        return answer(for: [request.usualPath(in: folder).map { FilePath($0).parts } ?? [], request.url.parts])
    }
}

extension URL {
    /// Its host, with a port that is not the scheme's, and the parts of its path, as ``DownloadPlacement/urlFolders``
    /// names folders.
    var parts: [FilePath] {
        let port = port.map { $0 == (scheme == "https" ? 443 : 80) ? "" : ":\($0)" } ?? ""
        return ([(host ?? "") + port] + pathComponents.drop { $0 == "/" }).map { FilePath($0) }
    }
}

extension FilePath {
    /// The names of folders and file, without `.`, and with each `..` followed.
    var parts: [FilePath] {
        var parts: [FilePath] = []
        for name in names where name != "" && name != "." {
            if name == ".." { _ = parts.popLast() } else { parts.append(name) }
        }
        return parts
    }
}
