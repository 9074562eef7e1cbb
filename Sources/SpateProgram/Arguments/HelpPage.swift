import SpateConsole

/// The help text about a topic, without its options.
struct HelpPage {
    /// Words and what they mean, in two columns.
    typealias Row = (words: String, meaning: String)

    /// Paragraphs, broken into lines for a terminal.
    let text: String
    /// Below the text.
    let rows: [Row]
    let examples: [String]
    /// Whether the page of a command lists all its options, and not only those that no other command takes.
    let listsOptions: Bool

    /// `nil` if only the overview is about the topic.
    init?(_ topic: HelpTopic) {
        guard let page = Self.ofOptions[topic] ?? Self.others[topic] ?? Self.ofCommands[topic] else { return nil }
        self = page
    }

    private init(_ text: String, _ rows: [Row] = [], listsOptions: Bool = true, examples: [String]) {
        (self.text, self.rows) = (text, rows)
        (self.listsOptions, self.examples) = (listsOptions, examples)
    }
}

/// Pages about options of `get`.
extension HelpPage {
    private static let ofOptions: [HelpTopic: HelpPage] = [
        .group(.files): HelpPage(
            "",
            examples: [
                "spate --url-folders --cut-dirs 1 -d mirror -i urls.txt",
                "spate -o page.html --max-size 5M https://example.com/index.html",
            ]
        ),
        .group(.lists): HelpPage(
            """
            A list for --input has one URL a line, or a URL and its SHA-256. Or it is an
            input file of aria2: tabs separate a URL and its mirrors, and indented lines
            set out=NAME, dir=DIR, header=Name: value or checksum=ALG=HEX for it alone. Its
            sessions are read, too; options that only aria2 has are named, and not used.
            A Metalink is a list, too. From a pipe each URL starts at once, with the
            options that come with it.
            """,
            examples: [
                "grep iso urls.txt | spate -x 8 -d disks -i -",
                "spate --failed failed.txt -i urls.txt || spate -i failed.txt",
            ]
        ),
        .group(.checksums): HelpPage(
            """
            A checksum is md5, sha1, sha256 or sha512. A file that does not match does not
            get its final name. spate verify checks finished files, and spate repair uses
            the pieces of a Metalink.
            """,
            examples: [
                "spate --checksums SHA256SUMS --skip-existing -d disks -i urls.txt",
                "spate -d disks -M https://example.com/disk.iso.meta4",
            ]
        ),
        .group(.speed): HelpPage(
            """
            RATE is in bytes, with K, M, G or T for powers of 1024, and KB, MB, GB or TB
            for powers of 1000. On a terminal keys change jobs and rate: see spate help
            keys.

            --jobs auto begins with three, and tries more while files wait. It keeps the
            smallest number that is as fast as a larger one. A limit stops it from growing.
            """,
            examples: ["spate -j 5 -x 8 --limit-rate 2M -i urls.txt"]
        ),
        .group(.time): HelpPage(
            """
            An attempt that ends like this is tried again, and mirrors are asked. The delay
            grows with each retry, and follows the server's Retry-After. After --max-time a
            file has failed: spate resume goes on with it, with the whole time again.

            All connections of a file count for --speed-limit. An attempt that was slower
            from its beginning made no progress. --limit-rate is nobody's fault.
            """,
            examples: ["spate --max-time 3600 --speed-limit 10K -i urls.txt"]
        ),
        .group(.requests): HelpPage(
            """
            A secret in a command line shows in the list of processes, one in a file does
            not: --header @FILE reads headers, one a line. A login in a URL comes first.
            Without --proxy the environment names the proxies: https_proxy, http_proxy and
            all_proxy, also of SOCKS. no_proxy counts in any case.
            """,
            examples: ["spate --netrc --cookies cookies.txt --header @headers.txt -i urls.txt"]
        ),
        .group(.output): HelpPage(
            """
            Errors go to standard error, a line for each failed download; on a terminal
            progress, too. NO_COLOR=1 in the environment turns colours off.

            A line of --json or --log has always the same keys. If another number of
            downloads may run at once, its event is "concurrency", and it also has "limit",
            "former", "reason", and "host", which is null unless one server is meant.
            """,
            examples: [
                "spate --json https://example.com/a.iso > events.jsonl",
                "spate --progress plain --log spate.log -i urls.txt",
            ]
        ),
        .group(.programs): HelpPage(
            """
            A program is a path or a name in PATH, runs without a shell, and reads one JSON
            object from standard input. It has the environment and the current folder, but
            no terminal and no open files of spate. Ctrl-C ends it and its children.

            Hooks run one at a time, in order, while downloads go on, and all before spate
            exits. They read the line of --json about the end, and "seconds", null if the
            file was already here. Failed ones are counted; spate's exit code stays.
            For --refresh-command, see spate help refresh.
            """,
            examples: ["spate --on-finish ./notify -i urls.txt"]
        ),
        .options: HelpPage("", examples: ["spate help speed"]),
    ]
}

/// Other pages.
extension HelpPage {
    private static let others: [HelpTopic: HelpPage] = [
        .refresh: HelpPage(
            """
            --refresh-command reads {"url": URL, "attempt": N, "reason": null or {"code",
            "status", "retryable", "error"}} and prints {"url": URL, "headers": {NAME:
            VALUE}}, where both may be missing. They are not stored, and headers stay with
            the server. Eight run at once, for at most a minute each. Exit codes other than
            0 fail the attempt. It is asked again after 400, 401, 403, 404 and 410.
            With --refresh-on-retry it is not asked for first attempts.
            """,
            examples: ["spate --refresh-command ./sign --refresh-on-retry -i signed-urls.txt"]
        ),
        .keys: HelpPage(
            """
            On a terminal, spate get, resume and repair read these keys without --no-keys.
            In a line, x4 means that four connections fetch the file, ~ is an estimate, and
            a mark that moves means that the file's size is unknown. Of more than 100 files
            the finished ones are only counted; --verbose lists them.
            """,
            KeyHelp.all.map { ($0.keys, $0.meaning) },
            examples: ["spate -i urls.txt"]
        ),
        .exitCodes: HelpPage(
            "",
            [
                ("0", "everything was done, or there was nothing to do"),
                ("1", "a download failed or was cancelled, or a URL has nothing to delete"),
                ("", "verify: a file is bad, missing or unreadable; demo: not proven"),
                ("", "standard output can't be written, as on a full disk"),
                ("2", "usage error: nothing was fetched or changed"),
                ("129", "the terminal was closed (SIGHUP)"),
                ("130", "Ctrl-C, the key q, or SIGINT"),
                ("141", "the reader of standard output has closed it"),
                ("143", "SIGTERM"),
                ("", "From 129 on partial files are kept, and spate resume continues."),
            ],
            examples: ["spate -q -d disks -i urls.txt && spate verify -d disks"]
        ),
        .topics: HelpPage(
            "",
            (HelpTopic.ofOptions + HelpTopic.others).map { ($0.word, $0.summary) }
                + [("a command", Command.allCases.filter(\.hasPage).map(\.rawValue).joined(separator: ", "))],
            examples: ["spate help speed"]
        ),
    ]
}

/// Pages about commands.
extension HelpPage {
    private static let ofCommands: [HelpTopic: HelpPage] = [
        .command(.get): HelpPage(
            """
            Fetches each URL into a file of its name, as many at once as help. Finished
            files are not fetched again, or with --update if they have changed; the old
            file stays until the new one is complete. A partial file is continued if the
            server proves that the file has not changed. A file gets its final name only
            when it is complete and matches the checksum, if there is one.
            With -o - one file goes to standard output: first it is fetched whole into a
            folder in TMPDIR, and checked, so that only right bytes come. No file stays.

            \(PlainText.wrapped("The options are in spate help \(OptionGroup.allCases.map(\.rawValue).joined(separator: ", ")), "
                + "and all of them in spate help options.", to: 79))
            """,
            listsOptions: false,
            examples: [
                "spate https://example.com/a.iso https://example.com/b.iso",
                "spate -d disks -i urls.txt",
                "spate -o - https://example.com/a.tar.gz | tar xz",
            ]
        ),
        .command(.status): HelpPage(
            """
            Lists the files that Spate made in a folder: finished, changed since, partial
            or running, how much of each is there, and its URL. Then it lists what waits
            there because spate get was stopped before it began, or still runs, and what
            failed, with the reason. Makes no requests.
            On a terminal a summary comes first, and of what waits or is finished only a
            few lines. Other programs get all lines, whole and without the summary.
            """,
            examples: ["spate status", "spate status -d disks", "spate status --json | grep partial"]
        ),
        .command(.resume): HelpPage(
            """
            Continues every partial file in a folder, also of updates, and fetches what
            spate get had not begun or finished when it was stopped or killed, with its
            name, folder, checksum and mirrors. Also tries again what failed; spate delete
            makes it forget a URL.

            \(PlainText.wrapped("Takes the options of spate get except "
                + "\(ProgramOption.list(Command.get.options.filter { !$0.commands.contains(.resume) })). "
                + "Secrets are not stored: give --header, --netrc and --cookies again, and use spate get for URLs with a "
                + "password. A URL that a Metalink chose gets no --header that may be a secret, and no --cert. Of a list, "
                + "spate get stores the next 10,000 lines: to fetch all of a longer one, run the same command again.", to: 79))
            """,
            listsOptions: false,
            examples: ["spate resume", "spate resume -d disks -j 5"]
        ),
        .command(.verify): HelpPage(
            """
            Checks each finished file in a folder against its checksum: from a list, from
            the command that fetched it, or from its server. If none is known, only the
            size is checked (size-only). Files in the list are checked even if Spate did
            not make them. Prints a line for each file, and for each bad one the reason.

            --online fetches nothing: a file is current, outdated, or - if it can't tell.
            With it --repair fetches outdated files, too, if no checksum was given. It also
            fetches files anew that somebody has changed: give those to be kept another
            name. Both take the options of spate get; --jobs N reads N at once (3).
            """,
            listsOptions: false,
            examples: ["spate verify -d disks --checksums SHA256SUMS", "spate verify --online --repair"]
        ),
        .command(.repair): HelpPage(
            """
            Fetches only what is damaged or missing in a file. Another program may have
            made it. Its pieces are compared with those of a Metalink, and the right ones
            are kept. Without URL or FILE every file of the Metalink is repaired, in
            --directory. The file stays as it is until the repaired one is complete. If it
            is right, no request is sent; if it is missing, it is fetched.

            Without a Metalink a file is right or wrong as a whole, by --checksum, or by
            the checksum that it was downloaded with. A wrong one is fetched anew.
            Takes the options of spate get that requests need, and --mirror.
            """,
            listsOptions: false,
            examples: [
                "spate repair --metalink disk.iso.meta4 ~/disk.iso",
                "spate repair -d disks -M https://example.com/disk.iso.meta4 --from old.iso",
            ]
        ),
        .command(.delete): HelpPage(
            """
            Deletes the files of these URLs, finished or partial. Only files that Spate
            made are deleted. If a URL has no file, that is an error. So it is if somebody
            has changed the file since it was finished: then it stays.
            """,
            examples: ["spate delete https://example.com/a.iso", "spate delete -d disks -i urls.txt"]
        ),
        .command(.demo): HelpPage(
            """
            Downloads a dozen files from its own server, which cuts connections, refuses
            requests, changes files and sends wrong ranges. One download is paused; one
            process is killed, and another continues its file. Then it prints what was
            proven. Takes about ten seconds, needs no network and leaves nothing behind.

            With --serve it prints one URL a line, and serves these files until Ctrl-C or
            until an hour has passed without a request.
            """,
            examples: ["spate demo"]
        ),
        .command(.completions): HelpPage(
            """
            Prints a script with which the Tab key completes commands, options, files and
            folders. SHELL is bash, zsh or fish. Each example is a line for the end of
            ~/.bashrc, ~/.zshrc (after compinit) or ~/.config/fish/config.fish.
            """,
            examples: [
                "source <(spate completions bash)",
                "source <(spate completions zsh)",
                "spate completions fish | source",
            ]
        ),
    ]
}
