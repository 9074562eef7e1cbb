/// What a person asks of the run while it goes on; downloads go by their numbers in it.
enum RunCommand: Equatable {
    case pause(Int), resume(Int), cancel(Int), delete(Int)
    /// So many more at once, or fewer.
    case changeJobs(Int)
    case pauseAll, resumeAll
    case quit
}
