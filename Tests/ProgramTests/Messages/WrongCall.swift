import Testing

@testable import SpateProgram

/// A command line with a usage error. `FOLDER` stands for the folder of `MessageFolder`.
struct WrongCall: CustomTestStringConvertible {
    let kind: UsageError.Kind
    let words: [String]

    init(_ kind: UsageError.Kind, _ words: String...) {
        self.kind = kind
        self.words = words
    }

    var testDescription: String { text }

    /// The command line, as typed into a shell.
    var text: String {
        (["spate"] + words.map(PlainText.shellWord)).joined(separator: " ")
    }

    private static let url = "https://example.com/a.iso"
    private static let digest = "md5:900150983cd24fb0d6963f7d28e17f72"

    static let all = options + values + fetching + files

    static let options = [
        WrongCall(.unknownOption, "--job", "4", url),
        WrongCall(.unknownOption, "--Json", url),
        WrongCall(.unknownOption, "-json", url),
        WrongCall(.unknownOption, "-D", "disks", url),
        WrongCall(.unknownOption, "--frobnicate", url),
        WrongCall(.unknownOption, "-g", url),
        WrongCall(.unexpectedValue, "--json=yes", url),
        WrongCall(.missingValue, url, "--jobs"),
        WrongCall(.missingValue, "-d", "--json", url),
        WrongCall(.emptyValue, "-d", "", url),
        WrongCall(.optionOfAnotherCommand, "status", "--jobs", "4"),
        WrongCall(.optionOfAnotherCommand, "resume", "--output", "name"),
        WrongCall(.optionOfAnotherCommand, "resume", "--checksum", digest),
        WrongCall(.optionOfAnotherCommand, "resume", "--update"),
        WrongCall(.optionOfAnotherCommand, "delete", "--overwrite", url),
        WrongCall(.optionOfAnotherCommand, "demo", "--quiet"),
        WrongCall(.optionOfAnotherCommand, "completions", "bash", "--quiet"),
    ]

    static let values = [
        WrongCall(.wholeNumber, "-j", "three", url),
        WrongCall(.wholeNumber, "--jobs=0", url),
        WrongCall(.wholeNumber, "--max-per-host", "0", url),
        WrongCall(.wholeNumber, "--retries", "-1", url),
        WrongCall(.shard, "--shard", "4/3", url),
        WrongCall(.connections, "-x", "http://proxy:3128", url),
        WrongCall(.connections, "--connections", "33", url),
        WrongCall(.rate, "--limit-rate", "0", url),
        WrongCall(.rate, "--limit-rate", "fast", url),
        WrongCall(.seconds, "--timeout", "30s", url),
        WrongCall(.size, "--max-size", "10 megs", url),
        WrongCall(.fileName, "-o", "disks/a.iso", url),
        WrongCall(.fileName, "-o", "..", url),
        WrongCall(.fileName, "-o", "-", url),
        WrongCall(.fileName, "-o", String(repeating: "a", count: 231), url),
        WrongCall(.fileName, "-o", "a.iso.part", url),
        WrongCall(.header, "--header", "Accept", url),
        WrongCall(.header, "--header", ": text/html", url),
        WrongCall(.header, "--header", "A: b\nC: d", url),
        WrongCall(.header, "--header", "Range: bytes=0-", url),
        WrongCall(.checksum, "--checksum", "sha-256=2c26", url),
        WrongCall(.checksum, "--checksum", "sha256:2c26", url),
        WrongCall(.emptyValue, "--header", "@", url),
        WrongCall(.progress, "--progress", "dot", url),
        WrongCall(.quietProgress, "-q", "--progress", "plain", url),
        WrongCall(.existingFiles, "--update", "--skip-existing", url),
        WrongCall(.existingFiles, "--overwrite", "--skip-existing", url),
        WrongCall(.repeatedHeader, "--header", "Accept: a", "--header", "accept: b", url),
    ]

    static let fetching = [
        WrongCall(.missingURL),
        WrongCall(.missingURL, "delete"),
        WrongCall(.unexpectedURL, "status", "disks"),
        WrongCall(.unexpectedURL, "resume", url),
        WrongCall(.unexpectedURL, "demo", url),
        WrongCall(.oneNameForMany, "-o", "a.iso", url, "https://example.com/b.iso"),
        WrongCall(.oneMirrorForMany, "--mirror", "https://example.org/a.iso", url, "https://example.com/b.iso"),
        WrongCall(.otherScheme, "--mirror", "ftp://example.org/a.iso", url),
        WrongCall(.oneChecksumForMany, "--checksum", digest, url, "https://example.com/b.iso"),
        WrongCall(.misplacedCommand, url, "status"),
        WrongCall(.mistypedCommand, "stauts"),
        WrongCall(.foreignCommand, "list"),
        WrongCall(.foreignCommand, "rm", url),
        WrongCall(.foreignCommand, "pause", url),
        WrongCall(.dashForURL, "-"),
        WrongCall(.shell, "completions", "tcsh"),
        WrongCall(.fileForURL, "FOLDER/urls.txt"),
        WrongCall(.fileForURL, "FOLDER/a.iso.part"),
        WrongCall(.fileForURL, "FOLDER/disks"),
        WrongCall(.missingScheme, "example.com/a.iso"),
        WrongCall(.missingScheme, "localhost:8080/a.iso"),
        WrongCall(.missingScheme, "https:/example.com/a.iso"),
        WrongCall(.missingScheme, "//example.com/a.iso"),
        WrongCall(.missingScheme, "user:secret@example.com/a.iso"),
        WrongCall(.otherScheme, "htps://example.com/a.iso"),
        WrongCall(.otherScheme, "ftp://example.com/a.iso"),
        WrongCall(.otherScheme, "magnet:?xt=urn:btih:1"),
        WrongCall(.otherScheme, "file:///home/me/a.iso"),
        WrongCall(.unusableURL, "https:///a.iso"),
        WrongCall(.unusableURL, "https://example.com:99999/a.iso"),
        WrongCall(.unusableURL, "https://example.com/a\tb"),
    ]

    static let files = [
        WrongCall(.folderIsFile, "-d", "FOLDER/urls.txt", url),
        WrongCall(.folderCannotBeMade, "-d", String(repeating: "a", count: 256), url),
        WrongCall(.folderMissing, "status", "-d", "FOLDER/dsks"),
        WrongCall(.folderMissing, "resume", "-d", "FOLDER/dsks"),
        WrongCall(.folderMissing, "delete", "-d", "FOLDER/dsks", url),
        WrongCall(.unreadableInput, "-i", "FOLDER/ulrs.txt"),
        WrongCall(.unreadableInput, "-i", "FOLDER/disks"),
        WrongCall(.unreadableInput, "-i", "https://example.com/urls.txt"),
        WrongCall(.missingScheme, "-i", "FOLDER/bad.txt"),
        WrongCall(.inputLine, "-i", "FOLDER/space.txt"),
        WrongCall(.mirrors, "-i", "FOLDER/mirrors.txt"),
        WrongCall(.inputOption, "-i", "FOLDER/options.txt"),
        WrongCall(.inputOption, "-i", "FOLDER/first.txt"),
        WrongCall(.inputOption, "-i", "FOLDER/flat.txt"),
        WrongCall(.fileName, "-i", "FOLDER/path.txt"),
        WrongCall(.header, "-i", "FOLDER/header.txt"),
        WrongCall(.checksum, "-i", "FOLDER/digest.txt"),
        WrongCall(.contradictingURLs, "-i", "FOLDER/twice.txt"),
        WrongCall(.lineTooLong, "-i", "FOLDER/long.txt"),
        WrongCall(.unreadableCertificates, "--cacert", "FOLDER/ac.pem", url),
        WrongCall(.unreadableCertificates, "--cacert", "FOLDER/disks", url),
        WrongCall(.unreadableHeaders, "--header", "@FOLDER/header", url),
        WrongCall(.header, "--header", "@FOLDER/headers.txt", url),
        WrongCall(.unreadableNetrc, "--netrc-file", "FOLDER/.netrc", url),
        WrongCall(.netrcLine, "--netrc-file", "FOLDER/netrc", url),
        WrongCall(.unreadableCookies, "--cookies", "FOLDER/disks", url),
        WrongCall(.cookieLine, "--cookies", "FOLDER/cookies.txt", url),
        WrongCall(.repeatedHeader, "--cookies", "FOLDER/cookie.txt", "--header", "Cookie: a=secret", url),
        WrongCall(.unwritableLog, "--log", "FOLDER/disks", url),
        WrongCall(.unreadableChecksums, "--checksums", "FOLDER/SHA256SUM", url),
        WrongCall(.unreadableChecksums, "--checksums", "FOLDER/disks", url),
        WrongCall(.checksumLine, "--checksums", "FOLDER/bad.txt", url),
        WrongCall(.checksumLine, "--checksums", "FOLDER/MD5SUMS", url),
    ]
}
