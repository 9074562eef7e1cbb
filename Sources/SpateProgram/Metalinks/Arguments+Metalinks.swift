import Foundation
import Glibc
import Spate

/// The Metalinks of a command line.
extension Arguments {
    /// With the input files that are Metalinks among the Metalinks.
    var withMetalinksApart: Arguments {
        var arguments = self
        arguments.metalinks += inputs.filter(Self.isMetalink)
        arguments.inputs.removeAll(where: Self.isMetalink)
        return arguments
    }

    /// Whether a file begins as XML does. No URL begins so. A pipe can be read only once, and counts as a list.
    private static func isMetalink(_ path: String) -> Bool {
        var status = stat()
        guard path != "-", stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            let file = FileHandle(forReadingAtPath: path), let start = try? file.read(upToCount: 512)
        else { return false }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = start.starts(with: mark) ? start.dropFirst(mark.count) : start
        return text.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "<")
    }

    /// Whoever writes a Metalink chooses who is asked, and so must not get what is meant for somebody else.
    func checkMetalinkSecrets() throws(UsageError) {
        if metalinks.isEmpty { return }
        let harmless = DownloadRequest.headersForDocuments
        let header = headers.first { !harmless.contains($0.name.lowercased()) }
        try UsageError.refuse([
            (
                certificate != nil, .metalinkCertificate,
                "--metalink names hosts that you have not chosen, and the certificate of --cert would go to them; give "
                    + "the URLs themselves"
            ),
            (
                header != nil, .metalinkHeader,
                "--metalink names hosts that you have not chosen, and the header \(header?.name ?? "") would go to them; "
                    + "use --netrc or --cookies, which name hosts, or give the URLs themselves"
            ),
        ])
    }
}
