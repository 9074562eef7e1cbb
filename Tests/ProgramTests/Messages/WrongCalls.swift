import Testing

@testable import SpateProgram

/// Command lines with a usage error, in the order of Documentation/Messages.md. `FOLDER` stands for the folder of
/// `MessageFolder`.
enum WrongCalls {
    private static let url = "https://example.com/a.iso"
    private static let other = "https://example.com/b.iso"
    private static let digest = "md5:900150983cd24fb0d6963f7d28e17f72"

    static let all = options + values + fetching + files

    static let options: [[String]] = [
        ["--job", "4", url], ["--Json", url], ["-json", url], ["-D", "disks", url], ["--frobnicate", url],
        ["-B", url], ["repair", "--form", "old.iso", url], ["--json=yes", url], [url, "--jobs"],
        ["-d", "--json", url], ["-d", "", url],
        ["status", "--jobs", "4"], ["resume", "--output", "name"], ["resume", "--checksum", digest],
        ["resume", "--update"], ["verify", "--overwrite"], ["delete", "--overwrite", url], ["demo", "--quiet"],
        ["completions", "bash", "--quiet"],
    ]

    static let values: [[String]] = [
        ["-j", "three", url], ["--jobs=0", url], ["-j", "1001", url], ["--max-per-host", "0", url],
        ["--retries", "-1", url], ["--max-redirs", "many", url], ["--max-time", "1m", url],
        ["--shard", "4/3", url], ["-x", "http://proxy:3128", url], ["--connections", "33", url],
        ["--limit-rate", "0", url], ["--limit-rate", "fast", url], ["--timeout", "30s", url],
        ["--max-size", "10 megs", url], ["-o", "disks/", url], ["-o", "..", url], ["-o", "disks/..", url],
        ["-o", "-", "-d", "disks", url], ["-o", "-", "--update", url], ["-o", "-", "--json", url],
        ["-o", "-", "--failed", "-", url],
        ["-o", String(repeating: "a", count: 231), url], ["-o", "a.iso.part", url], ["--header", "Accept", url],
        ["--header", ": text/html", url], ["--header", "A: b\nC: d", url], ["--header", "Range: bytes=0-", url],
        ["--proxy", "ftp://me:secret@proxy:3128", url], ["--proxy", "http://me:secret@proxy:3128/x", url],
        ["--proxy", "http://me:secret@proxy:99999", url],
        ["--checksum", "sha-256=2c26", url], ["--checksum", "sha256:2c26", url], ["--header", "@", url],
        ["--names", "mine", url], ["--progress", "dot", url], ["-q", "--progress", "plain", url],
        ["--update", "--skip-existing", url],
        ["--overwrite", "--skip-existing", url], ["--json", "--failed", "-", url],
        ["--header", "Accept: a", "--header", "accept: b", url], ["--refresh-on-retry", url],
        ["--key", "FOLDER/a.key", url], ["--public-only", "--proxy", "proxy:3128", url],
    ]

    static let fetching: [[String]] = [
        [], ["delete"], ["repair"], ["status", "disks"], ["resume", url], ["verify", url], ["demo", url],
        ["-o", "a.iso", url, other], ["-o", "-", url, other],
        ["--mirror", "https://example.org/a.iso", url, other],
        ["--mirror", "ftp://example.org/a.iso", url], ["--checksum", digest, url, other],
        ["repair", "--from", "old.iso", url, other],
        [url, "status"], ["stauts"], ["list"], ["rm", url], ["pause", url], ["-"], ["completions", "tcsh"],
        ["help", "nonsense"], ["help", "speeed"], ["help", "timeout"], ["help", "status", "resume"],
        ["FOLDER/urls.txt"], ["FOLDER/a.iso.part"], ["FOLDER/disks"], ["example.com/a.iso"], ["localhost:8080/a.iso"],
        ["https:/example.com/a.iso"], ["//example.com/a.iso"], ["user:secret@example.com/a.iso"],
        ["htps://example.com/a.iso"], ["ftp://example.com/a.iso"], ["magnet:?xt=urn:btih:1"],
        ["file:///home/me/a.iso"], ["https:///a.iso"], ["https://example.com:99999/a.iso"],
        ["https://example.com/a\tb"], ["https://example.com/a[01-10].iso?a=1"], ["https://example.com/{a,b}.iso"],
    ]

    static let files: [[String]] = [
        ["-d", "FOLDER/urls.txt", url], ["-d", String(repeating: "a", count: 256), url],
        ["-o", "FOLDER/disks", url], ["-o", "FOLDER/urls.txt/a.iso", url],
        ["status", "-d", "FOLDER/dsks"], ["resume", "-d", "FOLDER/dsks"], ["verify", "-d", "FOLDER/dsks"],
        ["delete", "-d", "FOLDER/dsks", url],
        ["-i", "FOLDER/ulrs.txt"], ["-i", "FOLDER/disks"], ["-i", "https://example.com/urls.txt"],
        ["-i", "FOLDER/bad.txt"], ["-i", "FOLDER/space.txt"], ["-i", "FOLDER/mirrors.txt"],
        ["-i", "FOLDER/options.txt"], ["-i", "FOLDER/pair.txt"], ["-i", "FOLDER/magnet.txt"],
        ["-i", "FOLDER/torrent.txt"], ["-i", "FOLDER/first.txt"], ["-i", "FOLDER/flat.txt"],
        ["-i", "FOLDER/path.txt"], ["-i", "FOLDER/output.txt"], ["-i", "FOLDER/header.txt"],
        ["-i", "FOLDER/digest.txt"],
        ["-M", "FOLDER/no.meta4"], ["-M", "FOLDER/bad.meta4"], ["-i", "FOLDER/ftp.meta4"],
        ["-M", "FOLDER/ftp.meta4", "--header", "X-Key: secret"],
        ["-M", "FOLDER/ftp.meta4", "--cert", "FOLDER/urls.txt"],
        ["repair", "-M", "FOLDER/a.meta4", "FOLDER/c.iso"], ["repair", "FOLDER/a.iso"], ["repair", "FOLDER/urls.txt"],
        ["-i", "FOLDER/twice.txt"], ["-i", "FOLDER/long.txt"], ["-i", "FOLDER/latin1.txt"],
        ["--cacert", "FOLDER/ac.pem", url],
        ["--cacert", "FOLDER/disks", url], ["--cert", "FOLDER/client.pem", url],
        ["--cert", "FOLDER/client.pem:sesame", url], ["--cert", "FOLDER/urls.txt", "--key", "FOLDER/a.key", url],
        ["--header", "@FOLDER/header", url],
        ["--header", "@FOLDER/headers.txt", url], ["--netrc-file", "FOLDER/.netrc", url],
        ["--netrc-file", "FOLDER/netrc", url], ["--cookies", "FOLDER/disks", url],
        ["--cookies", "FOLDER/cookies.txt", url],
        ["--cookies", "FOLDER/cookie.txt", "--header", "Cookie: a=secret", url], ["--log", "FOLDER/disks", url],
        ["--failed", "FOLDER/disks", url], ["--failed", "FOLDER/urls.txt", "-i", "FOLDER/urls.txt"],
        ["--checksums", "FOLDER/SHA256SUM", url], ["--checksums", "FOLDER/disks", url],
        ["--checksums", "FOLDER/bad.txt", url], ["--checksums", "FOLDER/MD5SUMS", url],
        ["--refresh-command", "no-such-program", url], ["--on-finish", "FOLDER/urls.txt", url],
        ["--on-failure", "FOLDER/disks", url], ["--on-finish", "FOLDER/notify --all", url],
    ]
}
