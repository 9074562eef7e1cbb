import Spate

/// The texts of `--help` and `--version`.
enum Usage {
    static let version = "spate \(SpateVersion.text)"

    /// Fits a terminal of 24 lines and 80 columns, the prompt after it included.
    static let help = """
        spate [get] [options] URL...    fetch files; goes on with what is there in part
          -d, --directory DIR     where files go (the current folder)
          -o, --output NAME       the file's name (one URL only)
          -i, --input FILE        URLs from FILE, one a line, # comments; - is stdin
          -j, --jobs N            downloads at once (3)
              --retries N         tries in vain before giving up on one (5)
              --timeout SECONDS   end a try when nothing arrives for this long (30)
              --header 'N: V'     send this header; may be repeated
              --max-size BYTES    refuse more than this
              --cacert FILE       trust these certificates
              --overwrite         replace a file that is already there
              --json              tell all events on standard output, an object a line
              --no-keys           read no keys (on a terminal, ? shows them)
          -q, --quiet             say nothing but errors;  --help, --version
        spate status [-d DIR]           what is finished, partial, and how far
        spate resume [-d DIR]           finish every partial there (options as for get)
        spate delete [-d DIR] URL...    remove these files, whole or partial
        spate demo [--serve]            see it all at work offline, or serve its files
        Errors go to standard error; what finishes and how far it is, too, but only to
        a terminal. Exit: 0 all finished, 1 some failed, 2 wrong usage, 130 or 143 when
        stopped by a signal: what was received is kept.
        Example: spate -d pages https://example.com/index.html
                 spate status -d pages
        """
}
