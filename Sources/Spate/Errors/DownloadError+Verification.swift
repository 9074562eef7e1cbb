// What a verification finds wrong.
extension DownloadError {
    static func damaged(_ path: String, found: Checksum, _ expected: Checksum) -> DownloadError {
        DownloadError(
            .checksumMismatch,
            "The \(found.algorithm.standardName) of \(path) is \(found.hexadecimal), not \(expected.hexadecimal). Fetch "
                + "the file again, or restore a copy."
        )
    }

    /// A file is not as it was when it was finished.
    ///
    /// - Parameter total: the size that it was finished with.
    static func changed(_ path: String, _ size: Int64, finished total: Int64) -> DownloadError {
        let change =
            size == total
            ? "was written to after it was finished" : "has \(size) bytes, but had \(total) when it was finished"
        return DownloadError(
            .fileChanged,
            "\(path) \(change). To have the downloaded file again, repair it, or allow replacing it. To keep this one, "
                + "give it another name."
        )
    }

    static func missing(_ path: String) -> DownloadError {
        DownloadError(
            .fileSystem,
            "There is no file \(path), which has a checksum. Fetch it, or leave out its checksum."
        )
    }

    static let nothingToRepairBy = DownloadError(
        .badChecksum,
        "Nothing says whether the file is damaged. Give a Metalink or a checksum."
    )

    static let isGone = DownloadError(
        .fileSystem,
        "The finished file was deleted or replaced before its server was asked about it. Check again."
    )

    static let outdated = DownloadError(
        .outdated,
        "The server has another version of the file now. To fetch that one, check the file for an update."
    )

    /// - Parameter name: the name of a file with a checksum.
    static func leadsOut(_ name: String) -> DownloadError {
        DownloadError(
            .badFileName,
            "The file name \(String(reflecting: name)) may lead out of the folder. Give it relative to the folder, "
                + "without \"..\"."
        )
    }

    /// - Parameter file: the path of a file that is verified; `nil` for the file of a download.
    static func missingDigest(_ algorithm: Checksum.Algorithm, of file: String? = nil) -> DownloadError {
        DownloadError(
            .badChecksum,
            "The \(algorithm.standardName)\(file.map { " of \($0)" } ?? "") cannot be checked: OpenSSL's libcrypto is "
                + "missing, or forbids it. Install that, or give a SHA-256."
        )
    }
}
