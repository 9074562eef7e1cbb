/// The texts of `--help` and `--list`.
enum Usage {
    static var help: String {
        """
        spate-benchmark [SCENARIO…] [options]

        Runs spate and every other downloader that is installed on the same work, in turn, and says how long each took.
        The server is an nginx of its own; every file's bytes are checked after each run. Build it for release:
            swift run --package-path Tests/Benchmark -c release --static-swift-stdlib spate-benchmark large-tmpfs --rounds 3

          --rounds N         how often each program runs (\(BenchmarkArguments.defaultRounds))
          --programs LIST    run these only, such as spate,curl,wget2
          --json FILE        write all figures there
          --svg FILE         draw them there
          --markdown FILE    write them there as tables
          --publish DIR      write them into the figures and the pages of this clone of Spate, in place of earlier ones
          --from FILE        measure nothing; take the figures that --json wrote to FILE
          --directory DIR    the disk that is measured is the one this folder is on
          --list             name the scenarios
          --help             this text

        Scenarios (all of them unless some are named; lines, servers and downloads are names for many):
        \(scenarios)
        Wall time is from a program's start to its end, on a clock that nobody sets. Processor time is user and system
        time together. Memory is the most that was resident at one time. Context switches are voluntary and involuntary
        ones together, so that other work on the machine adds to them; they are shown for small files. Each program has
        a line; ratios are to the best other program, which is the one with the least median wall time, round by round,
        and the median of those is told. A program that was stopped for its time is not run again. On servers the ratio
        is to the best fixed number of downloads at once; the best three of the first round run again.
        Lines need /dev/net/tun, and root or user namespaces; where there is none, their scenarios say why.
        Before each run as much is written and deleted as the run will need, so that nobody is the first to touch the
        machine's memory. Exit: 0 all measured, 1 something failed, 2 wrong usage or no nginx, 130 when interrupted.
        """
    }

    static var list: String {
        Scenario.all.map(\.name).joined(separator: "\n")
    }

    private static var scenarios: String {
        Scenario.all.map { scenario in
            let explanation = scenario.explanation.split(separator: "\n").map { "      \($0)\n" }
            return "  \(scenario.name)\n" + explanation.joined()
        }.joined()
    }
}
