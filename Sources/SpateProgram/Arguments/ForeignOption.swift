/// Options of curl, wget, wget2 and aria2, and what to use here instead. Those with nothing else to say are in the rows
/// of `ProgramOption`.
struct ForeignOption {
    let spellings: [String]
    let answer: String

    static func answer(to option: String) -> String? {
        all.first { $0.spellings.contains(option) }?.answer
    }

    static let all =
        [names, speed, trust, requests, output].joined().map { spellings, answer in
            ForeignOption(spellings: spellings.split(separator: " ").map(String.init), answer: answer)
        } + ProgramOption.all.filter { !$0.otherSpellings.isEmpty }.map(ForeignOption.init)

    private init(spellings: [String], answer: String) {
        (self.spellings, self.answer) = (spellings, answer)
    }

    private init(_ option: ProgramOption) {
        let value = option.valueName.map { " \($0)" } ?? ""
        self.init(spellings: option.otherSpellings, answer: "give \(option.longForm)\(value)")
    }

    private static let names: KeyValuePairs = [
        "-O --remote-name --remote-name-all --output-document --out --name --filename":
            "files are named after their URLs, or by their server; to choose the name, give --output NAME",
        "-J --remote-header-name --content-disposition --trust-server-names":
            "to take the names of files from their server, give --names server",
        "-P --directory-prefix --output-dir --outdir --dir --folder --destination":
            "to choose the folder, give --directory DIR",
        "--create-dirs": "missing folders are always created; leave this out",
        "--input-file --list": "to read URLs from a file, give --input FILE",
        "--url": "give the URL without an option before it",
        "-c -C --continue --continue-at": "partial files are always continued; leave this out",
        "-nc --no-clobber":
            "files that Spate did not make are only replaced with --overwrite; to take any file of the name for the "
            + "right one, give --skip-existing",
        "--allow-overwrite --clobber --force": "to replace a file that is already there, give --overwrite",
        "-N --timestamping -z --time-cond --conditional-get --etag-compare --etag-save":
            "finished files are not fetched again; to fetch those that have changed on the server, give --update",
        "--use-server-timestamps --no-use-server-timestamps --no-remote-time":
            "files have the time at which they were fetched; to give them the server's, give --remote-time",
    ]

    private static let speed: KeyValuePairs = [
        "--max-concurrent-downloads --max-threads --parallel-max --concurrency --threads":
            "to choose how many downloads run at once, give --jobs N",
        "-Z --parallel --parallel-immediate": "three downloads run at once by default; for more, give --jobs N",
        "--max-connection-per-server --split --min-split-size --chunk-size":
            "to choose how many connections fetch one file, give --connections N; to limit those to a host, "
            + "--max-per-host N",
        "--max-download-limit --max-overall-download-limit":
            "to limit the speed of all downloads together, give --limit-rate RATE",
        "--max-filesize": "to refuse large files, give --max-size SIZE",
        "-t --tries --retry --max-tries": "to choose how many retries without progress are made, give --retries N",
        "--retry-delay --retry-wait --waitretry --retry-max-time":
            "the delay grows with each retry and follows the server's Retry-After; to choose how many retries are "
            + "made, give --retries N",
        "-T --connect-timeout --read-timeout": "to end an attempt that receives nothing, give --timeout SECONDS",
        "-m --max-time":
            "--timeout SECONDS ends an attempt that receives nothing; to limit the whole run, use timeout(1): timeout "
            + "60 spate …",
    ]

    private static let trust: KeyValuePairs = [
        "-k --insecure --no-check-certificate --check-certificate":
            "certificates are always checked; to trust your own, give --cacert FILE",
        "--ca-certificate": "to trust your own certificates, give --cacert FILE",
        "-u --user --http-user --http-passwd --http-password --password":
            "others can read a password in a command line; put the login into a file and give --netrc-file FILE, or "
            + "into a URL in a list: https://USER:PASSWORD@host/",
        "-n --netrc-optional --netrc-path": "to read logins from ~/.netrc, give --netrc, or --netrc-file FILE",
        "--no-netrc": "~/.netrc is only read with --netrc; leave this out",
        "--proxy --all-proxy --http-proxy --https-proxy":
            "a proxy is set in the environment: https_proxy=http://HOST:PORT, and http_proxy for http URLs",
        "--socks4 --socks4a --socks5 --socks5-hostname --preproxy":
            "a SOCKS proxy is set in the environment: all_proxy=socks5h://HOST:PORT",
        "--noproxy --no-proxy": "exceptions from the proxy are set in the environment: no_proxy=HOST, or * for all",
    ]

    private static let requests: KeyValuePairs = [
        "-H": "to send a header, give --header 'Name: value'",
        "-A -U --user-agent": "give --header 'User-Agent: NAME'",
        "-e --referer": "give --header 'Referer: URL'",
        "-b --cookie --load-cookies":
            "to send the cookies of a file, give --cookies FILE; to send one, --header 'Cookie: NAME=VALUE'",
        "-L --location": "redirects are always followed; leave this out",
        "-f --fail": "a response such as 404 is always a failure; leave this out",
        "-X -F --request --data --form --post-data": "only GET requests are made; for others, use curl",
        "-I --head --spider": "whole files are fetched; to see only the response header, use curl -I URL",
        "-r --range --recursive":
            "only whole files are fetched, and only the given URLs; links in pages are not followed",
        "--compressed --compression": "files are stored as the server has them; unpack them afterwards",
        "--http1.1 --http2 -4 -6 --ipv4 --ipv6 --inet4-only --inet6-only":
            "this is chosen automatically for each connection; leave this out",
        "--check-integrity":
            "to repair a file by the pieces of its Metalink: spate repair -M FILE; to check a folder: spate verify",
        "--md5 --sha1 --sha256 --sha512 --hash":
            "to check a file, give --checksum ALG:HEX, as in --checksum sha256:2c26…; for several, --checksums FILE",
    ]

    private static let output: KeyValuePairs = [
        "-s": "to be quiet (curl's -s), give --quiet; to split files (aria2's -s), --connections N",
        "-nv --silent --no-verbose": "to see only errors, give --quiet",
        "-S --show-error": "errors are always shown; leave this out",
        "-# --progress-bar --show-progress --no-progress-meter":
            "progress is always shown on a terminal; to choose how, give --progress MODE",
        "-w --write-out": "to see all events, give --json or --log FILE",
        "-l -a --output-file --append-output --log-file --log-level": "to log all events, give --log FILE",
        "--on-download-complete": "to run a program for each finished file, give --on-finish PROGRAM",
        "--on-download-error": "to run a program for each failed download, give --on-failure PROGRAM",
        "--background": "to run in the background: nohup spate … &",
        "--color --no-color": "to turn colours off, set NO_COLOR=1 in the environment",
    ]
}
