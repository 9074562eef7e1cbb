/// The help text of a command, without its options.
struct HelpPage {
    /// Paragraphs, broken into lines for a terminal.
    let text: String
    let examples: [String]
    /// Whether the page of the command lists its options. The overview has the options of `get`.
    var listsOptions = true

    init?(_ command: Command) {
        switch command {
        case .get: self = .get
        case .status: self = .status
        case .resume: self = .resume
        case .verify: self = .verify
        case .repair: self = .repair
        case .delete: self = .delete
        case .demo: self = .demo
        case .completions: self = .completions
        case .help, .version: return nil
        }
    }

    private init(_ text: String, listsOptions: Bool = true, examples: [String]) {
        self.text = text
        self.listsOptions = listsOptions
        self.examples = examples
    }

    private static let get = HelpPage(
        """
        Fetches each URL into a file of its name, three at a time. Finished files are
        not fetched again, or with --update if they have changed; the old file stays
        until the new one is complete. A partial file is continued if the server
        proves that the file has not changed. A file gets its final name only when it
        is complete and matches the checksum, if there is one: md5, sha1, sha256 or
        sha512.
        Proxies: https_proxy, http_proxy, all_proxy (SOCKS too), no_proxy. Errors go to
        standard error, a line for each failed download; on a terminal progress, too.

        Exit codes: 0 all finished, 1 some failed, 2 usage error, 130 or 143 after
        SIGINT or SIGTERM (partial files are kept), 141 standard output was closed.

        Options: spate --help; spate help files, options or programs.
        """,
        listsOptions: false,
        examples: [
            "spate -o page.html --max-size 5M https://example.com/index.html",
            "grep iso urls.txt | spate -x 8 -d disks -i -",
            "spate --json https://example.com/a.iso > events.jsonl",
        ]
    )

    static let files = HelpPage(
        """
        A list for --input has one URL a line, or a URL and its SHA-256. Or it is an
        input file of aria2: tabs separate a URL and its mirrors, and indented lines
        set out=NAME, dir=DIR, header=Name: value or checksum=ALG=HEX for it alone.
        """,
        examples: [
            "spate --url-folders --cut-dirs 1 -d mirror -i urls.txt",
            "spate --checksums SHA256SUMS --skip-existing -d disks -i urls.txt",
        ]
    )

    static let options = HelpPage(
        """
        A secret in a command line shows in the list of processes, one in a file does
        not: --header @FILE reads headers, one a line. A login in a URL comes first.
        """,
        examples: [
            "spate --netrc --cookies cookies.txt --header @headers.txt -i urls.txt",
            "spate --progress plain --log spate.log --failed failed.txt -i urls.txt",
        ]
    )

    static let programs = HelpPage(
        """
        A program is a path or a name in PATH, runs without a shell, and reads one JSON
        object from standard input. It has the environment and the current folder, but
        no terminal and no open files of spate. Ctrl-C ends it and its children.

        --refresh-command reads {"url": URL, "attempt": N, "reason": null or {"code",
        "status", "retryable", "error"}} and prints {"url": URL, "headers": {NAME:
        VALUE}}, where both may be missing. They are not stored, and headers stay with
        the server. Eight run at once, for at most a minute each. Exit codes other than
        0 fail the attempt. It is asked again after 400, 401, 403, 404 and 410.

        Hooks run one at a time, in order, while downloads go on, and all before spate
        exits. They read the line of --json about the end, and "seconds", null if the
        file was already here. Failed ones are counted; spate's exit code stays.
        """,
        examples: [
            "spate --refresh-command ./sign --refresh-on-retry -i signed-urls.txt"
        ]
    )

    private static let status = HelpPage(
        """
        Lists the files that Spate made in a folder: finished, partial or running, how
        much of each is there, and its URL. Then it lists what is waiting there because
        spate get was stopped before it began, or still runs, and what failed, with the
        reason. Makes no requests.
        """,
        examples: ["spate status", "spate status -d disks", "spate status --json | grep partial"]
    )

    private static let resume = HelpPage(
        """
        Continues every partial file in a folder, also of updates, and fetches what
        spate get had not begun or finished when it was stopped or killed, with its
        name, folder, checksum and mirrors. Also tries again what failed; spate delete
        makes it forget a URL.
        Takes the options of spate get except --output, --input, --shard, --checksum,
        --mirror, --update and --skip-existing. Secrets are not stored: give --header,
        --netrc and --cookies again, and use spate get for URLs with a password. Of a
        list, spate get stores the next 10,000 lines: to fetch all of a longer one, run
        the same command again.
        """,
        listsOptions: false,
        examples: ["spate resume", "spate resume -d disks -j 5"]
    )

    private static let verify = HelpPage(
        """
        Checks each finished file in a folder against its checksum: from a list, from
        the command that fetched it, or from its server. If none is known, only the
        size is checked (size-only). Files in the list are checked even if Spate did
        not make them. Makes no requests without --online or --repair.

        Prints a line for each file, and for each bad one the reason. Exit codes: 0 no
        file is bad, 1 a file is bad, missing or unreadable, 2 usage error.

        With --online it also asks each file's server, which fetches nothing: a file is
        current, or outdated if the server has another version; - if it can't tell.
        With --repair it fetches damaged files anew, and outdated ones without a given
        checksum. The old file stays until the new one is complete. A file of another
        size was changed by somebody, and stays: spate get --overwrite replaces it.
        Both take the options of spate get. --jobs (3) is how many are read or asked.
        """,
        listsOptions: false,
        examples: ["spate verify -d disks --checksums SHA256SUMS", "spate verify --online --repair"]
    )

    private static let repair = HelpPage(
        """
        Fetches only what is damaged or missing in a file. Another program may have
        made it. Its pieces are compared with those of a Metalink, and the right ones
        are kept. Without URL or FILE every file of the Metalink is repaired, in
        --directory. FILE may also be in another folder.
        The file stays as it is until the repaired one is complete and replaces it.
        If it is right, no request is sent; if it is missing, it is fetched.
        --from FILE takes right pieces of another file: a copy, or an earlier version.

        Without a Metalink a file is right or wrong as a whole, by --checksum, or by
        the checksum that it was downloaded with. A wrong one is fetched anew.
        Takes the options of spate get that requests need, and --mirror.
        """,
        listsOptions: false,
        examples: [
            "spate repair --metalink disk.iso.meta4 ~/disk.iso",
            "spate repair -d disks -M https://example.com/disk.iso.meta4 --from old.iso",
        ]
    )

    private static let delete = HelpPage(
        """
        Deletes the files of these URLs, finished or partial. Only files that Spate
        made are deleted. If a URL has no file, that is an error with exit code 1.
        """,
        examples: ["spate delete https://example.com/a.iso", "spate delete -d disks -i urls.txt"]
    )

    private static let demo = HelpPage(
        """
        Downloads a dozen files from its own server, which cuts connections, refuses
        requests, changes files and sends wrong ranges. One download is paused; one
        process is killed, and another continues its file. Then it prints what was
        proven. Takes about ten seconds, needs no network and leaves nothing behind.
        The exit code is 0 if everything was proven.

        With --serve it prints one URL a line, and serves these files until Ctrl-C or
        until an hour has passed without a request.
        """,
        examples: ["spate demo"]
    )

    private static let completions = HelpPage(
        """
        Prints a script with which the Tab key completes commands, options, files and
        folders. SHELL is bash, zsh or fish. Each example is a line for the end of
        ~/.bashrc, ~/.zshrc (after compinit) or ~/.config/fish/config.fish.
        """,
        listsOptions: false,
        examples: [
            "source <(spate completions bash)",
            "source <(spate completions zsh)",
            "spate completions fish | source",
        ]
    )
}
