import Spate

/// A parsed command line. Everything is checked that can be checked without looking at the disk.
struct Arguments: Equatable {
    var command = Command.get
    /// The help page to show. `nil` means the overview.
    var helpTopic: HelpTopic?
    /// `nil` means the current folder.
    var directory: String?
    var output: String?
    /// Files with URLs. `-` means standard input.
    var inputs: [String] = []
    /// The part of the input files that is fetched.
    var shard: DownloadShard?
    var jobs = 3
    var connections = ConnectionCount.automatic
    /// `nil` for no limit.
    var maximumPerHost: Int?
    /// In bytes per second, for all downloads together.
    var rateLimit: Int64?
    var retries = 5
    /// In seconds.
    var timeout = 30.0
    var headers: [HeaderField] = []
    /// Files with headers.
    var headerFiles: [String] = []
    /// Whether logins are read from ~/.netrc.
    var readsNetrc = false
    /// A file to read in place of ~/.netrc.
    var netrc: String?
    /// A file of cookies.
    var cookies: String?
    var maximumSize: Int64?
    /// That of the only file.
    var checksum: Checksum?
    /// Files such as SHA256SUMS.
    var checksumLists: [String] = []
    /// Other places of the only file.
    var mirrors: [DownloadURL] = []
    var authorities: String?
    var overwrites = false
    /// Whether the server is asked if finished files have changed.
    var updates = false
    /// Whether any file of the name is good enough.
    var skipsExisting = false
    /// Whether files get the server's time.
    var keepsServerTime = false
    var writesJSON = false
    var progress = ProgressMode.automatic
    /// The file to which all events are appended.
    var log: String?
    var isQuiet = false
    /// Whether no keys are read during the run, even if there is a terminal.
    var ignoresKeys = false
    /// Whether the demo only serves its files.
    var serves = false
    /// Whose completions are printed.
    var shell = Shell.bash
    /// The URLs as they were typed.
    var urls: [String] = []
}
