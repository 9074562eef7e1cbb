import Foundation
import Glibc
import Spate
import SpateFilePaths

/// What a list of checksums says about the files in a folder and below it, by their paths there.
struct FolderChecksums {
    /// Those of the files, and of what is in the list but not there.
    private(set) var checksums: [FilePath: Checksum] = [:]
    /// Files with lines that contradict each other.
    private(set) var contradictions: [FilePath] = []

    /// - Parameter stored: the files of Spate. Others are those to which the lines lead.
    init(_ list: ChecksumList, _ stored: [StoredDownload], in folder: URL) {
        if list.isEmpty { return }
        let start = FilePath(folder.standardizedFileURL.path)
        let outer = start.parts
        var files: [FilePath: URL?] = [:]
        // A line that leads to a file with its whole path is for no other.
        var owned: [ChecksumLine: FilePath] = [:]
        for line in list.all {
            let own = Self.path(line, below: outer)
            for index in line.path.indices {
                let path = FilePath(joining: line.path[index...])
                guard access(start.appending(path).text, F_OK) == 0 else { continue }
                files[path] = .some(nil)
                if line.path.count - index >= own.count { owned[line] = path }
                break
            }
        }
        for download in stored where !download.isPartial {
            if let path = FilePath(download.file.path).below(start) { files[path] = download.url }
        }
        var used: Set<ChecksumLine> = []
        for (file, url) in files {
            let paths = [outer + file.parts] + (url.map { [$0.parts] } ?? [])
            let answer = list.answer(for: paths) { owned[$0] ?? file == file }
            if let checksum = answer.checksum {
                checksums[file] = checksum
                used.formUnion(answer.lines)
            } else if answer.isContradictory {
                contradictions.append(file)
            }
        }
        for line in list.all where !used.contains(line) {
            let path = FilePath(joining: Self.path(line, below: outer))
            if files[path] == nil { checksums[path] = line.checksum }
        }
        contradictions.sort()
    }

    /// The path of a line below a folder. A list from the folder above names that folder, too.
    private static func path(_ line: ChecksumLine, below outer: [FilePath]) -> ArraySlice<FilePath> {
        let most = min(outer.count, line.path.count - 1)
        let named = (0...most).last { line.path.prefix($0) == outer.suffix($0) }
        return line.path.dropFirst(named ?? 0)
    }
}

extension FilePath {
    init(joining parts: ArraySlice<FilePath>) { self.init(parts.map(\.text).joined(separator: "/")) }
}
