import Spate

/// The texts of `--help` and `--version`. Each page fits a terminal of 24 lines and 80 columns, with a prompt below.
enum Usage {
    static let version = "spate \(SpateVersion.text)"

    /// The page about a command, or the overview.
    static func help(about command: Command?) -> String {
        switch command {
        case .get: get
        case .status: status
        case .resume: resume
        case .delete: delete
        case .demo: demo
        case .help, .version, nil: help
        }
    }

    static let help = """
        spate [get] [options] URL...    fetch files; continues partial files
        spate status [-d DIR]           show finished and partial files
        spate resume [-d DIR]           finish all partial files (options as for get)
        spate delete [-d DIR] URL...    delete these files, finished or partial
        spate demo [--serve]            see it all at work offline, or serve its files
          -d, --directory DIR     where files go (the current folder)
          -o, --output NAME       the file's name (one URL only)
          -i, --input FILE        URLs from FILE, one a line, # comments; - is stdin
          -j, --jobs N            downloads at once (3)
              --retries N         retries without progress before giving up (5)
              --timeout SECONDS   end an attempt after this long without data (30)
              --header 'N: V'     send this header; may be repeated
              --max-size SIZE     refuse larger files: bytes, or 500M, 2GB
              --checksum ALG:HEX  check one file; --checksums FILE as from sha256sum
              --cacert FILE       trust these certificates, not the system's
              --overwrite         replace a file that is already there
              --json              one JSON object a line for each event, on stdout
              --no-keys           do not read keys (on a terminal, ? shows them)
          -q, --quiet             print only errors
          -h, --help, --version   spate COMMAND --help says more, also on exit codes
        Example:
          spate -d disks -j 5 -i urls.txt && spate status -d disks
        """

    private static let get = """
        spate [get] [options] URL...

        Fetches each URL into a file of its name, three at a time. Finished files are
        not fetched again. A partial file is continued if the server proves that the
        file has not changed. A file gets its final name only when it is complete and
        matches the checksum, if there is one: md5, sha1, sha256 or sha512.
        Options: see spate --help. Proxies: https_proxy, http_proxy and no_proxy.

        Errors go to standard error, one line for each failed download. Progress goes
        there too, but only to a terminal. Exit codes: 0 all finished, 1 some failed,
        2 usage error, 130 or 143 after SIGINT or SIGTERM (partial files are kept),
        141 when standard output was closed.

        Examples:
          spate -o page.html https://example.com/index.html
          spate --header 'Accept-Language: de' https://example.com/index.html
          spate --max-size 500M --retries 2 https://example.com/a.iso
          grep iso urls.txt | spate -d disks -i -
          spate --json https://example.com/a.iso > events.jsonl
        """

    private static let status = """
        spate status [-d DIR] [--json] [-q]

        Lists the files that Spate made in a folder: finished, partial or running, how
        much of each is there, and its URL. Makes no requests.

          -d, --directory DIR     the folder (the current one)
              --json              an object a line: url, state, received, total...
          -q, --quiet             print nothing if there are no files

        Examples:
          spate status
          spate status -d disks
          spate status --json | grep partial
        """

    private static let resume = """
        spate resume [-d DIR] [options]

        Continues every partial file in a folder. Takes the options of spate get except
        --output, --input and --checksum. Secrets are not stored: give --header again,
        and fetch URLs that need a password with spate get.

        Examples:
          spate resume
          spate resume -d disks -j 5
        """

    private static let delete = """
        spate delete [-d DIR] [-i FILE] [-q] URL...

        Deletes the files of these URLs, finished or partial. Only files that Spate
        made are deleted. If a URL has no file, that is an error with exit code 1.

          -d, --directory DIR     the folder (the current one)
          -i, --input FILE        URLs from FILE, one a line, # comments; - is stdin
          -q, --quiet             print only errors

        Examples:
          spate delete https://example.com/a.iso
          spate delete -d disks -i urls.txt
        """

    private static let demo = """
        spate demo [--serve]

        Downloads a dozen files from its own server, which cuts connections, refuses
        requests, changes files and sends wrong ranges. One download is paused; one
        process is killed, and another continues its file. Then it prints what was
        proven. Takes about ten seconds, needs no network and leaves nothing behind.
        The exit code is 0 if everything was proven.

              --serve             only serve the files, to try programs on: prints one
                                  URL a line, and serves until Ctrl-C or until an hour
                                  has passed without a request

        Example:
          spate demo
        """
}
