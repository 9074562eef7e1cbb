/// Options of curl, wget, wget2 and aria2 that people have in their fingers, and what to do here instead.
struct FamiliarOption {
    let spellings: [String]
    let answer: String

    private init(_ spellings: String..., answer: String) {
        self.spellings = spellings
        self.answer = answer
    }

    static func answer(to option: String) -> String? {
        all.first { $0.spellings.contains(option) }?.answer
    }

    static let all = names + speed + trust + requests + output

    private static let names = [
        FamiliarOption(
            "-O",
            "--remote-name",
            "--remote-name-all",
            "--output-document",
            "--out",
            "--name",
            "--filename",
            answer: "a file is named after its URL by itself; to choose the name, give --output NAME"
        ),
        FamiliarOption(
            "-J",
            "--remote-header-name",
            "--content-disposition",
            answer: "a server never chooses a name here; to choose it yourself, give --output NAME"
        ),
        FamiliarOption(
            "-P",
            "--directory-prefix",
            "--output-dir",
            "--outdir",
            "--dir",
            "--folder",
            "--destination",
            answer: "to choose the folder, give --directory DIR"
        ),
        FamiliarOption("--create-dirs", answer: "the folder is made where it is missing; leave this out"),
        FamiliarOption("--input-file", "--list", answer: "to read URLs from a file, give --input FILE"),
        FamiliarOption("--url", answer: "give the URL by itself, with no option before it"),
        FamiliarOption(
            "-c",
            "-C",
            "--continue",
            "--continue-at",
            answer: "what is there in part is always continued; leave this out"
        ),
        FamiliarOption(
            "-nc",
            "--no-clobber",
            answer: "a file of others is never overwritten unless --overwrite is given; leave this out"
        ),
        FamiliarOption(
            "--allow-overwrite",
            "--clobber",
            "--force",
            answer: "to replace a file that is there, give --overwrite"
        ),
        FamiliarOption(
            "-N",
            "--timestamping",
            "-z",
            "--time-cond",
            "--conditional-get",
            answer: "what is whole is not asked for again; to fetch it anew, remove it first: spate delete URL"
        ),
    ]

    private static let speed = [
        FamiliarOption(
            "--max-concurrent-downloads",
            "--max-threads",
            "--parallel-max",
            "--concurrency",
            "--threads",
            "--connections",
            answer: "to say how many run at once, give --jobs N"
        ),
        FamiliarOption(
            "-Z",
            "--parallel",
            "--parallel-immediate",
            answer: "three run at once by themselves; for more, give --jobs N"
        ),
        FamiliarOption(
            "-x",
            answer: "a file has one connection (aria2's -x), --jobs N fetches more files at once; "
                + "a proxy (curl's -x) is taken from the environment: https_proxy=http://HOST:PORT"
        ),
        FamiliarOption(
            "--max-connection-per-server",
            "--split",
            "--min-split-size",
            "--chunk-size",
            answer: "a file has one connection and is not split; to fetch more files at once, give --jobs N"
        ),
        FamiliarOption(
            "--limit-rate",
            "--max-download-limit",
            "--max-overall-download-limit",
            answer: "the speed can't be limited; --jobs 1 leaves the most to others"
        ),
        FamiliarOption("--max-filesize", answer: "to refuse large files, give --max-size SIZE"),
        FamiliarOption(
            "-t",
            "--tries",
            "--retry",
            "--max-tries",
            answer: "to say how often a download is tried again in vain, give --retries N"
        ),
        FamiliarOption(
            "--retry-delay",
            "--retry-wait",
            "--waitretry",
            "--retry-max-time",
            answer: "the wait grows from try to try and follows the server's Retry-After; to say how many tries, "
                + "give --retries N"
        ),
        FamiliarOption(
            "-T",
            "--connect-timeout",
            "--read-timeout",
            answer: "to end a try that stands still, give --timeout SECONDS"
        ),
        FamiliarOption(
            "-m",
            "--max-time",
            answer: "--timeout SECONDS ends a try that stands still; to end all of it, put timeout before the command: "
                + "timeout 60 spate …"
        ),
    ]

    private static let trust = [
        FamiliarOption(
            "-k",
            "--insecure",
            "--no-check-certificate",
            "--check-certificate",
            answer: "certificates are always checked; to trust one of your own, give --cacert FILE"
        ),
        FamiliarOption("--ca-certificate", answer: "to trust certificates of your own, give --cacert FILE"),
        FamiliarOption(
            "-u",
            "--user",
            "--http-user",
            "--http-passwd",
            "--http-password",
            "--password",
            answer: "user and password go into the URL, as https://USER:PASSWORD@host/; they are stored nowhere"
        ),
        FamiliarOption(
            "-n",
            "--netrc",
            answer: "no passwords are looked up; put them into the URL, as https://USER:PASSWORD@host/"
        ),
        FamiliarOption(
            "--proxy",
            "--all-proxy",
            "--http-proxy",
            "--https-proxy",
            answer: "a proxy is taken from the environment: https_proxy=http://HOST:PORT, http_proxy for http URLs"
        ),
        FamiliarOption(
            "--noproxy",
            "--no-proxy",
            answer: "exceptions from the proxy are taken from the environment: no_proxy=HOST, or * for all"
        ),
    ]

    private static let requests = [
        FamiliarOption("-H", answer: "to send a header, give --header 'Name: value'"),
        FamiliarOption("-A", "-U", "--user-agent", answer: "give --header 'User-Agent: NAME'"),
        FamiliarOption("-e", "--referer", answer: "give --header 'Referer: URL'"),
        FamiliarOption(
            "-b",
            "--cookie",
            "--load-cookies",
            answer: "to send cookies, give --header 'Cookie: NAME=VALUE'"
        ),
        FamiliarOption("-L", "--location", answer: "redirects are always followed; leave this out"),
        FamiliarOption("-f", "--fail", answer: "an answer such as 404 is always a failure; leave this out"),
        FamiliarOption(
            "-X",
            "-F",
            "--request",
            "--data",
            "--form",
            "--post-data",
            answer: "files are asked for with GET alone; for other requests take curl"
        ),
        FamiliarOption(
            "-I",
            "--head",
            "--spider",
            answer: "whole files are fetched; to see a URL's head alone, take curl -I URL"
        ),
        FamiliarOption(
            "-r",
            "--range",
            "--recursive",
            "--mirror",
            answer: "whole files are fetched, of the URLs that are given; links in pages are not followed"
        ),
        FamiliarOption(
            "--compressed",
            "--compression",
            answer: "files are stored as the server has them; unpack them afterwards"
        ),
        FamiliarOption(
            "--http1.1",
            "--http2",
            "-4",
            "-6",
            "--ipv4",
            "--ipv6",
            "--inet4-only",
            "--inet6-only",
            answer: "it is chosen for each connection by itself; leave this out"
        ),
        FamiliarOption(
            "--checksum",
            "--sha256",
            answer: "the program checks lengths alone; compare with sha256sum FILE afterwards"
        ),
    ]

    private static let output = [
        FamiliarOption("-s", answer: "for silence (curl's -s) give --quiet; a file is not split (aria2's -s)"),
        FamiliarOption("-nv", "--silent", "--no-verbose", answer: "to see nothing but errors, give --quiet"),
        FamiliarOption("-S", "--show-error", answer: "errors are always shown; leave this out"),
        FamiliarOption(
            "-#",
            "--progress",
            "--progress-bar",
            "--show-progress",
            "--no-progress-meter",
            answer: "progress is shown on a terminal by itself; to hide it, give --quiet"
        ),
        FamiliarOption("-v", "-w", "--verbose", "--write-out", answer: "to be told all that happens, give --json"),
        FamiliarOption("-V", answer: "give --version"),
        FamiliarOption("--background", answer: "to let it go on by itself, call it so: nohup spate … &"),
        FamiliarOption("--color", "--no-color", answer: "colours go away with NO_COLOR=1 in the environment"),
    ]
}
