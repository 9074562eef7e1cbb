/// What the command line asks for, checked as far as that goes without looking at the disk.
struct Arguments: Equatable {
    var command = Command.get
    /// What help is wanted about; `nil` is all of it.
    var helpTopic: Command?
    /// `nil` is the current folder.
    var directory: String?
    var output: String?
    /// Files of URLs; `-` is standard input.
    var inputs: [String] = []
    var jobs = 3
    var retries = 5
    /// In seconds.
    var timeout = 30.0
    var headers: [HeaderField] = []
    var maximumSize: Int64?
    var authorities: String?
    var overwrites = false
    var writesJSON = false
    var isQuiet = false
    /// Whether keys are read while it runs, where there is a terminal for them.
    var readsKeys = true
    /// Whether the demo only serves.
    var serves = false
    /// The URLs as they were written.
    var urls: [String] = []
}
