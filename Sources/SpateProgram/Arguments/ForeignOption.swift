/// Options of curl, wget, wget2 and aria2, and what to use here instead.
struct ForeignOption {
    let spellings: [String]
    let answer: String

    private init(_ spellings: String, answer: String) {
        self.spellings = spellings.split(separator: " ").map(String.init)
        self.answer = answer
    }

    static func answer(to option: String) -> String? {
        all.first { $0.spellings.contains(option) }?.answer
    }

    static let all = names + speed + trust + requests + output

    private static let names = [
        ForeignOption(
            "-O --remote-name --remote-name-all --output-document --out --name --filename",
            answer: "files are named after their URLs; to choose the name, give --output NAME"
        ),
        ForeignOption(
            "-J --remote-header-name --content-disposition",
            answer: "servers don't choose file names here; to choose the name, give --output NAME"
        ),
        ForeignOption(
            "-P --directory-prefix --output-dir --outdir --dir --folder --destination",
            answer: "to choose the folder, give --directory DIR"
        ),
        ForeignOption("--create-dirs", answer: "missing folders are always created; leave this out"),
        ForeignOption("--input-file --list", answer: "to read URLs from a file, give --input FILE"),
        ForeignOption("--url", answer: "give the URL without an option before it"),
        ForeignOption(
            "-c -C --continue --continue-at",
            answer: "partial files are always continued; leave this out"
        ),
        ForeignOption(
            "-nc --no-clobber",
            answer:
                "files that Spate did not make are only replaced with --overwrite; to take any file of the name for "
                + "the right one, give --skip-existing"
        ),
        ForeignOption(
            "--allow-overwrite --clobber --force",
            answer: "to replace a file that is already there, give --overwrite"
        ),
        ForeignOption(
            "-N --timestamping -z --time-cond --conditional-get --etag-compare --etag-save",
            answer:
                "finished files are not fetched again; to fetch those that have changed on the server, give --update"
        ),
        ForeignOption(
            "--use-server-timestamps --no-use-server-timestamps --no-remote-time",
            answer: "files have the time at which they were fetched; to give them the server's, give --remote-time"
        ),
    ]

    private static let speed = [
        ForeignOption(
            "--max-concurrent-downloads --max-threads --parallel-max --concurrency --threads",
            answer: "to choose how many downloads run at once, give --jobs N"
        ),
        ForeignOption(
            "-Z --parallel --parallel-immediate",
            answer: "three downloads run at once by default; for more, give --jobs N"
        ),
        ForeignOption(
            "--max-connection-per-server --split --min-split-size --chunk-size",
            answer: "to choose how many connections fetch one file, give --connections N; to limit those to a host, "
                + "--max-per-host N"
        ),
        ForeignOption(
            "--max-download-limit --max-overall-download-limit",
            answer: "to limit the speed of all downloads together, give --limit-rate RATE"
        ),
        ForeignOption("--max-filesize", answer: "to refuse large files, give --max-size SIZE"),
        ForeignOption(
            "-t --tries --retry --max-tries",
            answer: "to choose how many retries without progress are made, give --retries N"
        ),
        ForeignOption(
            "--retry-delay --retry-wait --waitretry --retry-max-time",
            answer: "the delay grows with each retry and follows the server's Retry-After; to choose how many "
                + "retries are made, give --retries N"
        ),
        ForeignOption(
            "-T --connect-timeout --read-timeout",
            answer: "to end an attempt that receives nothing, give --timeout SECONDS"
        ),
        ForeignOption(
            "-m --max-time",
            answer: "--timeout SECONDS ends an attempt that receives nothing; to limit the whole run, use timeout(1): "
                + "timeout 60 spate …"
        ),
    ]

    private static let trust = [
        ForeignOption(
            "-k --insecure --no-check-certificate --check-certificate",
            answer: "certificates are always checked; to trust your own, give --cacert FILE"
        ),
        ForeignOption("--ca-certificate", answer: "to trust your own certificates, give --cacert FILE"),
        ForeignOption(
            "-u --user --http-user --http-passwd --http-password --password",
            answer: "others can read a password in a command line; put the login into a file and give --netrc-file "
                + "FILE, or into a URL in a list: https://USER:PASSWORD@host/"
        ),
        ForeignOption(
            "-n --netrc-optional --netrc-path",
            answer: "to read logins from ~/.netrc, give --netrc, or --netrc-file FILE"
        ),
        ForeignOption("--no-netrc", answer: "~/.netrc is only read with --netrc; leave this out"),
        ForeignOption(
            "--proxy --all-proxy --http-proxy --https-proxy",
            answer: "a proxy is set in the environment: https_proxy=http://HOST:PORT, and http_proxy for http URLs"
        ),
        ForeignOption(
            "--noproxy --no-proxy",
            answer: "exceptions from the proxy are set in the environment: no_proxy=HOST, or * for all"
        ),
    ]

    private static let requests = [
        ForeignOption("-H", answer: "to send a header, give --header 'Name: value'"),
        ForeignOption("-A -U --user-agent", answer: "give --header 'User-Agent: NAME'"),
        ForeignOption("-e --referer", answer: "give --header 'Referer: URL'"),
        ForeignOption(
            "-b --cookie --load-cookies",
            answer: "to send the cookies of a file, give --cookies FILE; to send one, --header 'Cookie: NAME=VALUE'"
        ),
        ForeignOption("-L --location", answer: "redirects are always followed; leave this out"),
        ForeignOption("-f --fail", answer: "a response such as 404 is always a failure; leave this out"),
        ForeignOption(
            "-X -F --request --data --form --post-data",
            answer: "only GET requests are made; for others, use curl"
        ),
        ForeignOption(
            "-I --head --spider",
            answer: "whole files are fetched; to see only the response header, use curl -I URL"
        ),
        ForeignOption(
            "-r --range --recursive",
            answer: "only whole files are fetched, and only the given URLs; links in pages are not followed"
        ),
        ForeignOption(
            "--compressed --compression",
            answer: "files are stored as the server has them; unpack them afterwards"
        ),
        ForeignOption(
            "--http1.1 --http2 -4 -6 --ipv4 --ipv6 --inet4-only --inet6-only",
            answer: "this is chosen automatically for each connection; leave this out"
        ),
        ForeignOption(
            "--md5 --sha1 --sha256 --sha512 --hash --check-integrity",
            answer: "to check a file, give --checksum ALG:HEX, as in --checksum sha256:2c26…; for several, "
                + "--checksums FILE"
        ),
    ]

    private static let output = [
        ForeignOption(
            "-s",
            answer: "to be quiet (curl's -s), give --quiet; to split files (aria2's -s), --connections N"
        ),
        ForeignOption("-nv --silent --no-verbose", answer: "to see only errors, give --quiet"),
        ForeignOption("-S --show-error", answer: "errors are always shown; leave this out"),
        ForeignOption(
            "-# --progress-bar --show-progress --no-progress-meter",
            answer: "progress is always shown on a terminal; to choose how, give --progress MODE"
        ),
        ForeignOption("-v -w --verbose --write-out", answer: "to see all events, give --json or --log FILE"),
        ForeignOption(
            "-l -a --output-file --append-output --log-file --log-level",
            answer: "to log all events, give --log FILE"
        ),
        ForeignOption("-V", answer: "give --version"),
        ForeignOption("--background", answer: "to run in the background: nohup spate … &"),
        ForeignOption("--color --no-color", answer: "to turn colours off, set NO_COLOR=1 in the environment"),
    ]
}
