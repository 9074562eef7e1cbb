import Spate

/// The texts of `--help` and `--version`. Each fits a terminal of 24 lines and 80 columns, the prompt after it included.
enum Usage {
    static let version = "spate \(SpateVersion.text)"

    /// The page about a command, or the one about all.
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
        spate [get] [options] URL...    fetch files; goes on with what is there in part
        spate status [-d DIR]           what is finished, partial, and how far
        spate resume [-d DIR]           finish every partial there (options as for get)
        spate delete [-d DIR] URL...    remove these files, whole or partial
        spate demo [--serve]            see it all at work offline, or serve its files
          -d, --directory DIR     where files go (the current folder)
          -o, --output NAME       the file's name (one URL only)
          -i, --input FILE        URLs from FILE, one a line, # comments; - is stdin
          -j, --jobs N            downloads at once (3)
              --retries N         tries in vain before giving up on one (5)
              --timeout SECONDS   end a try when nothing arrives for this long (30)
              --header 'N: V'     send this header; may be repeated
              --max-size SIZE     refuse more than this: bytes, or as 500M or 2GB
              --cacert FILE       trust these certificates, not the system's
              --overwrite         replace a file that is already there
              --json              tell all events on standard output, an object a line
              --no-keys           read no keys (on a terminal, ? shows them)
          -q, --quiet             say nothing but errors
          -h, --help, --version   spate COMMAND --help tells more, as of exit codes
        Examples:
          spate https://example.com/a.iso https://example.com/b.iso
          spate -d disks -j 5 -i urls.txt && spate status -d disks
        """

    private static let get = """
        spate [get] [options] URL...

        Fetches each URL into a file of its name, three at a time. What is whole is not
        asked for again, and what is there in part is continued where the server proves
        that it is still the same. A file gets its name when it is whole, never before.
        Options: see spate --help. Proxies: https_proxy, http_proxy and no_proxy.

        Errors go to standard error, with a line for each download that failed. How far
        things are goes there, too, but only to a terminal. Exit codes: 0 all finished,
        1 some failed, 2 wrong usage, 130 or 143 when stopped by a signal (what was
        received is kept), 141 when nobody reads the output any more.

        Examples:
          spate -o page.html https://example.com/index.html
          spate --header 'Accept-Language: de' https://example.com/index.html
          spate --max-size 500M --retries 2 https://example.com/a.iso
          grep iso urls.txt | spate -d disks -i -
          spate --json https://example.com/a.iso > events.jsonl
        """

    private static let status = """
        spate status [-d DIR] [--json] [-q]

        Tells of every file of Spate's in a folder whether it is finished, partial or
        running, how far it is, and where it comes from. Nothing is asked for.

          -d, --directory DIR     the folder (the current one)
              --json              an object a line: url, state, received, total...
          -q, --quiet             say nothing where there is nothing

        Examples:
          spate status
          spate status -d disks
          spate status --json | grep partial
        """

    private static let resume = """
        spate resume [-d DIR] [options]

        Goes on with every partial file of a folder, and leaves what is whole. Options
        are those of spate get, but for --output and --input. What is secret is stored
        nowhere: give --header again, and what needs a password in its URL to get.

        Examples:
          spate resume
          spate resume -d disks -j 5
        """

    private static let delete = """
        spate delete [-d DIR] [-i FILE] [-q] URL...

        Removes the files of these URLs, whole or partial. Files that Spate did not
        make are never touched. A URL of which nothing is there is told, with exit
        code 1.

          -d, --directory DIR     the folder (the current one)
          -i, --input FILE        URLs from FILE, one a line, # comments; - is stdin
          -q, --quiet             say nothing but errors

        Examples:
          spate delete https://example.com/a.iso
          spate delete -d disks -i urls.txt
        """

    private static let demo = """
        spate demo [--serve]

        Downloads a dozen files from a server inside the program, which cuts, refuses,
        changes and lies; pauses one, kills a process and goes on with what it left;
        and tells in the end what was proven. It takes some ten seconds, needs no
        network, and leaves nothing behind. The exit code is 0 when all was proven.

              --serve             serve the files alone, to try programs on: prints an
                                  address a line, and serves until Ctrl-C or an hour
                                  without a request

        Example:
          spate demo
        """
}
