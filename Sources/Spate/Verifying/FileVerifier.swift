import Foundation
import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPSyntax
import SpatePartialFiles

/// Verifies the files of a manager's folder by name.
struct FileVerifier {
    typealias Element = Verification.Element

    private let manager: DownloadManager
    private let checksums: [FilePath: Checksum]

    /// After this many bytes, the memory of read ones is given back.
    private static let portion: Int64 = 8 << 20

    init(in manager: DownloadManager, _ checksums: [FilePath: Checksum]) {
        (self.manager, self.checksums) = (manager, checksums)
    }

    private var digests: DigestLibrary { manager.validConfiguration.digests }

    /// The names to verify, sorted by bytes. In the folders of URLs they are paths.
    func names() throws(DownloadError) -> [FilePath] {
        let directory = try manager.ownDirectory()
        let stored = try manager.fileSystem { () throws(FileSystemError) in
            var names = try directory.fileNames()
            try directory.forEachPlaced { (placed) throws(FileSystemError) in
                let path = placed.path.below(directory.path) ?? placed.path
                names += try placed.fileNames().map { path.appending($0) }
            }
            return names.sorted()
        }
        if checksums.isEmpty { return stored }
        let known = Set(stored)
        let names = stored + checksums.keys.filter { !known.contains($0) }
        return names.sorted()
    }

    /// The result if there are no names.
    func failed(_ error: DownloadError) -> Element {
        (manager.configuration.directory, VerificationResult(.failed, error: error))
    }

    /// Verifies one file; `nil` if it is none of Spate's and has no given checksum, or if the verification is over.
    ///
    /// - Parameter goesOn: called while the file is read, with the number of bytes since the last call; false once the
    ///   verification is over.
    func verify(_ name: FilePath, while goesOn: (Int64) -> Bool) -> Element? {
        do throws(DownloadError) {
            let place = try VerifiedPlace(name, in: manager)
            do throws(DownloadError) {
                return try result(place, while: goesOn).map { (place.file, $0) }
            } catch {
                return (place.file, VerificationResult(.failed, error: error))
            }
        } catch {
            return (manager.configuration.directory, VerificationResult(.failed, error: error))
        }
    }

    private func result(
        _ place: VerifiedPlace,
        while goesOn: (Int64) -> Bool
    ) throws(DownloadError) -> VerificationResult? {
        let (given, path) = (checksums[place.path], place.file.path)
        var turnsLeft = 3
        while true {
            switch try find(place, wantsAny: given != nil) {
            case .nothing: return given.map { VerificationResult(missing: path, $0) }
            case .partial(let found): return VerificationResult(found)
            case .stranger(let found, let size):
                guard let given else { return nil }
                var result = VerificationResult(.sizeOnly)
                result.size = size
                return try compare(found, size, given, while: goesOn) { result.compare($0, given, at: path) }
                    ? result : nil
            case .final(let found):
                guard let result = result(found, given, in: place, while: goesOn) else { return nil }
                if result.error == nil || turnsLeft == 0 { return result }
                // It may have been replaced while it was read.
                if try manager.fileSystem({ () throws(FileSystemError) in try found.isUnchanged }) { return result }
                turnsLeft -= 1
            }
        }
    }

    private func result(
        _ file: FinalFile,
        _ given: Checksum?,
        in place: VerifiedPlace,
        while goesOn: (Int64) -> Bool
    ) -> VerificationResult? {
        let expected = given ?? file.checksum(by: digests)
        var result = VerificationResult(
            file,
            expected,
            isGiven: given != nil,
            in: place.folder,
            at: place.file.path
        )
        guard result.error == nil, let expected else { return result }
        do throws(DownloadError) {
            let isCompared = try compare(file.file, file.size, expected, while: goesOn) {
                result.compare($0, expected, of: file, at: place.file.path)
            }
            return isCompared ? result : nil
        } catch {
            (result.state, result.error) = (.failed, error)
            return result
        }
    }

    private func find(_ place: VerifiedPlace, wantsAny: Bool) throws(DownloadError) -> DownloadDirectory.Finding {
        try manager.fileSystem { () throws(FileSystemError) in try place.directory.find(place.name, wantsAny: wantsAny)
        }
    }

    /// Reads the file, and passes its checksum on; false if the verification is over.
    private func compare(
        _ file: OpenFile,
        _ size: Int64,
        _ expected: Checksum,
        while goesOn: (Int64) -> Bool,
        _ use: (Checksum) -> Void
    ) throws(DownloadError) -> Bool {
        guard var digest = digests.digest(expected.algorithm) else {
            throw .missingDigest(expected.algorithm, of: file.path.text)
        }
        file.readsInOrder()
        var offset: Int64 = 0
        while offset < size {
            let range = offset..<offset + min(Self.portion, size - offset)
            let isRead = try manager.fileSystem { () throws(FileSystemError) in
                try digest.read(file, range) { goesOn(0) }
            }
            file.forget(range)
            guard isRead, goesOn(Int64(range.count)) else { return false }
            offset = range.upperBound
        }
        guard let bytes = digest.finish() else { throw .missingDigest(expected.algorithm, of: file.path.text) }
        use(Checksum(expected.algorithm, digest: bytes))
        return true
    }
}

/// Where a name leads: to a folder, and a name in it.
struct VerifiedPlace {
    /// Relative to the manager's folder.
    let path: FilePath
    let file: URL
    let name: FilePath
    let directory: DownloadDirectory
    /// The folder, if it is not the manager's.
    let folder: URL?

    init(_ path: FilePath, in manager: DownloadManager) throws(DownloadError) {
        let own = try manager.ownDirectory()
        self.path = path
        file = URL(fileURLWithPath: own.path.appending(path).text, isDirectory: false)
        let names = path.names
        guard names.count > 1 else {
            (name, directory, folder) = (path, own, nil)
            return
        }
        guard names.allSatisfy({ !["", ".", ".."].contains($0) }) else { throw .leadsOut(path.text) }
        let outer = names.dropLast().reduce(own.path) { $0.appending($1) }
        folder = URL(fileURLWithPath: outer.text, isDirectory: true)
        (name, directory) = (path.lastName, manager.directories.directory(outer))
    }
}
