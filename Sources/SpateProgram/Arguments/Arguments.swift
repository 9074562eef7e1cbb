import Spate

/// A parsed command line. All checks that need no disk access are done.
struct Arguments: Equatable {
    var command = Command.get
    /// The help page to show. `nil` means the overview.
    var helpTopic: HelpTopic?
    /// The options in the order in which they were given.
    var given: [GivenOption] = []
    /// `nil` means the current folder.
    var directory: String?
    /// Whether host and path of a URL become folders.
    var hasURLFolders = false
    /// How many folders of the path are left out; `nil` for none.
    var cutFolders: Int?
    /// The file's name, or a path. `-` means standard output.
    var output: String?
    /// Who names the files without a chosen name.
    var naming = DownloadNaming.automatic
    /// Files with URLs. `-` means standard input.
    var inputs: [String] = []
    /// The part of the input files to fetch.
    var shard: DownloadShard?
    /// How many downloads run at once.
    var jobs: DownloadConcurrency = .automatic
    var connections = ConnectionCount.automatic
    /// `nil` for no limit.
    var maximumPerHost: Int?
    /// In bytes per second, for all downloads together.
    var rateLimit: Int64?
    /// `nil` for the library's numbers.
    var retries: Int?
    /// In seconds.
    var timeout = 30.0
    /// For each file, in seconds; `nil` for no limit.
    var timeLimit: Double?
    /// In bytes per second, for each file; `nil` for none.
    var minimumSpeed: Int64?
    /// For how long a file may be slower, in seconds.
    var minimumSpeedTime: Double?
    var headers: [HeaderField] = []
    /// Files with headers.
    var headerFiles: [String] = []
    /// Whether to read logins from ~/.netrc.
    var readsNetrc = false
    /// A file to read instead of ~/.netrc.
    var netrc: String?
    /// A file of cookies.
    var cookies: String?
    var maximumSize: Int64?
    /// The checksum of the only file.
    var checksum: Checksum?
    /// Files or URLs of Metalinks.
    var metalinks: [String] = []
    /// Whether to use the Metalinks that servers name.
    var usesServerMetalink = false
    /// Files such as SHA256SUMS.
    var checksumLists: [String] = []
    /// Other URLs of the only file.
    var mirrors: [DownloadURL] = []
    var authorities: String?
    /// A file of a certificate to show to servers, and one of its key.
    var certificate: String?
    var certificateKey: String?
    var proxy = DownloadProxy.environment
    /// How many redirects in a row are followed; `nil` for the library's number.
    var maximumRedirects: Int?
    var ignoresServerMirrors = false
    var isPublicOnly = false
    var overwrites = false
    /// Whether to ask the server if finished files have changed.
    var updates = false
    /// Whether to ask the servers of finished files if they still have them.
    var asksOnline = false
    /// Whether to fetch damaged and changed files anew.
    var repairs = false
    /// Another file that may have right pieces of the one to repair.
    var repairSource: String?
    /// Whether any existing file of the name counts as finished.
    var skipsExisting = false
    /// Whether files get the server's time.
    var keepsServerTime = false
    /// The program that gives each attempt its URL and headers.
    var refreshCommand: String?
    /// Whether first attempts need none.
    var refreshesOnlyRetries = false
    /// The program to run for each finished file.
    var finishHook: String?
    /// The program to run for each failed download.
    var failureHook: String?
    /// Whether `status` lists also what a terminal has no room for.
    var listsAll = false
    var writesJSON = false
    var progress = ProgressMode.automatic
    /// The file to append all events to.
    var log: String?
    /// The file for the lines that fail. `-` means standard output.
    var failed: String?
    var isQuiet = false
    /// Whether a display lists every finished file.
    var isVerbose = false
    /// Whether to read no keys, even from a terminal.
    var ignoresKeys = false
    /// Whether the demo only serves its files.
    var serves = false
    /// The shell to print completions for.
    var shell = Shell.bash
    /// The URLs as they were typed.
    var urls: [String] = []
}
