import Foundation

/// A program that downloads, as it is called.
enum Contestant: String, CaseIterable, Sendable {
    case spate, curl, aria2c, wget2
    /// What Foundation gives: a small program of this package.
    case baseline = "urlsession-baseline"

    /// Whether it lies beside this program, having been built with it.
    var isOwn: Bool { self == .spate || self == .baseline }

    /// Whether its files are synced when it has ended.
    var flushesItself: Bool { self == .spate }

    /// Why it cannot do this work at all; `nil` where it can.
    func obstacle(to scenario: Scenario) -> String? {
        switch (self, scenario.kind) {
        case (.spate, .queue): nil
        case (_, .queue): "it has no library to enqueue with"
        case (.baseline, _) where scenario.isSecured: "it cannot be told whom to trust"
        case (.aria2c, _) where scenario.webProtocol == .http2: "it speaks no HTTP/2"
        default: nil
        }
    }
}

extension Contestant {
    /// How the program does the work as well as it can: no output, no configuration of the user's, as many files at once
    /// as all others. A peer has one connection for a file unless the order says more; ours does as it likes then.
    func arguments(for order: FetchOrder) -> [String] {
        switch self {
        case .spate:
            return ["--quiet", "--directory", order.folder, "--jobs", "\(order.atOnce)", "--input", order.list]
                + (order.connections.map { ["-x", "\($0)"] } ?? [])
                + (order.authority.map { ["--cacert", $0] } ?? [])
        case .curl:
            // The first option comes first, or it would be too late. --parallel-immediate makes no difference here.
            return ["--disable", "--silent", "--no-progress-meter", "--show-error", "--fail", "--parallel"]
                + ["--parallel-max", "\(order.atOnce)", "--config", order.curlConfiguration]
                + (order.authority.map { ["--cacert", $0] } ?? [])
                + (order.resumes ? ["--continue-at", "-"] : [])
        case .aria2c:
            // Several URLs on its command line would be mirrors of one file. Without its cache it is a tenth faster, and
            // how it allocates a file makes no difference.
            let connections = order.connections ?? 1
            return ["--no-conf", "--quiet", "--input-file", order.list, "--dir", order.folder]
                + ["--max-concurrent-downloads", "\(order.atOnce)", "--file-allocation=none", "--disk-cache=0"]
                + ["--split=\(connections)", "--max-connection-per-server=\(connections)", "--min-split-size=1M"]
                + (order.authority.map { ["--ca-certificate", $0] } ?? [])
                + (order.resumes ? ["--continue", "--auto-save-interval=1"] : [])
        case .wget2:
            // Over HTTP/2 each thread has a connection with thirty files at once unless told. A single one is faster than
            // three with a file each, and what curl has.
            let isShared = order.webProtocol == .http2
            return ["--no-config", "--quiet", "--input-file", order.list, "--directory-prefix", order.folder]
                + ["--no-directories", "--no-hsts", "--max-threads", isShared ? "1" : "\(order.atOnce)"]
                + (isShared ? ["--http2-request-window", "\(order.atOnce)"] : [])
                + (order.authority.map { ["--ca-certificate", $0] } ?? [])
                + (order.resumes ? ["--continue"] : [])
        case .baseline:
            return ["\(order.atOnce)", order.folder, order.list]
        }
    }
}

extension Contestant {
    /// How users call the program: with its defaults, but for what they type.
    func arguments(_ typed: [String], for order: FetchOrder) -> [String] {
        let authority = { (option: String) in order.authority.map { [option, $0] } ?? [] }
        return switch self {
        case .spate:
            ["--quiet", "--directory", order.folder, "--input", order.list] + authority("--cacert") + typed
        case .curl:
            ["--disable", "--silent", "--show-error", "--fail"] + typed + ["--config", order.curlConfiguration]
                + authority("--cacert")
        case .aria2c:
            ["--no-conf", "--quiet", "--input-file", order.list, "--dir", order.folder]
                + authority("--ca-certificate") + typed
        case .wget2:
            ["--no-config", "--quiet", "--input-file", order.list, "--directory-prefix", order.folder, "--no-hsts"]
                + ["--no-directories"] + authority("--ca-certificate") + typed
        case .baseline: arguments(for: order)
        }
    }
}

/// A contestant that is installed, and its version.
struct InstalledContestant: Sendable {
    let contestant: Contestant
    let path: String
    let version: String

    init(contestant: Contestant, path: String, version: String) {
        self.contestant = contestant
        self.path = path
        self.version = version
    }

    /// `nil` where it is not installed.
    init?(_ contestant: Contestant) async throws {
        let own = contestant.isOwn ? try ProgramPath.built(contestant.rawValue) : nil
        guard let path = own ?? ProgramPath.installed(contestant.rawValue) else { return nil }
        let version = contestant == .baseline ? "of this package" : try await Self.version(of: path)
        self.init(contestant: contestant, path: path, version: version)
    }

    /// The first line of what a program says of itself. Asking also brings the program into the system's cache.
    static func version(of path: String, option: String = "--version") async throws -> String {
        let child = try Child(path, [option])
        try await child.end()
        // nginx writes it to standard error.
        let said = child.output.isEmpty ? child.errors : child.output
        return said.split(separator: "\n").first.map(String.init) ?? "of an unknown version"
    }
}
