extension Contestant {
    /// How the program is told to do the work as well as it can: no output, no configuration of the user's, one
    /// connection for a file, as many files at once as all others.
    func arguments(for order: FetchOrder) -> [String] {
        switch self {
        case .spate:
            ["--quiet", "--directory", order.folder, "--jobs", "\(order.atOnce)", "--input", order.list]
                + (order.authority.map { ["--cacert", $0] } ?? [])
        case .curl:
            // The first option comes first, or it would be too late. --parallel-immediate makes no difference here.
            ["--disable", "--silent", "--no-progress-meter", "--show-error", "--fail", "--parallel"]
                + ["--parallel-max", "\(order.atOnce)", "--config", order.curlConfiguration]
                + (order.authority.map { ["--cacert", $0] } ?? [])
                + (order.resumes ? ["--continue-at", "-"] : [])
        case .aria2c:
            // Several URLs on its command line would be mirrors of one file. Without its cache it is a tenth faster, and
            // how it allocates a file makes no difference.
            ["--no-conf", "--quiet", "--input-file", order.list, "--dir", order.folder]
                + ["--max-concurrent-downloads", "\(order.atOnce)", "--split=1", "--max-connection-per-server=1"]
                + ["--file-allocation=none", "--disk-cache=0"]
                + (order.authority.map { ["--ca-certificate", $0] } ?? [])
                + (order.resumes ? ["--continue"] : [])
        case .wget2:
            ["--no-config", "--quiet", "--input-file", order.list, "--directory-prefix", order.folder]
                + ["--no-directories", "--no-hsts", "--max-threads", "\(order.atOnce)"]
                + (order.authority.map { ["--ca-certificate", $0] } ?? [])
                + (order.resumes ? ["--continue"] : [])
        case .baseline:
            ["\(order.atOnce)", order.folder, order.list]
        }
    }
}
