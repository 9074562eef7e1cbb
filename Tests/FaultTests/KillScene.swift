import CSpateSystem
import Foundation
import SpateLocking
import SpateTestSupport
import Testing

/// A server, a file, and programs that are killed while they fetch it.
final class KillScene: Sendable {
    /// What libcurl's pieces are gathered in before they are written.
    static let block = 262_144

    let file: TestFile
    /// The program that is killed: `spate`, or `OneDownload`, which syncs after each write.
    let program: String
    private let options: [String]
    /// Those of a run that is not killed, where they are others.
    private let nextOptions: [String]?
    private let server: TestServer
    /// One for each run that is held until its mark has moved.
    private let gates = Locked<[String: Gate]>([:])
    private let parent: String?

    /// - Parameters:
    ///   - parent: where the folders are made; the usual place if `nil`.
    ///   - earlier: what the server had before, for `leftover` to be of.
    init(
        _ file: TestFile,
        program: String = "spate",
        options: [String] = [],
        nextOptions: [String]? = nil,
        in parent: String? = nil,
        earlier: TestFile? = nil
    ) throws {
        (self.file, self.program, self.options, self.parent) = (file, program, options, parent)
        self.nextOptions = nextOptions
        let gates = gates
        server = try TestServer { request in
            let run = request.fields["Run"] ?? ""
            if run == "whole" { return .file(earlier ?? file, for: request) }
            if run == "cut" { return .file(earlier ?? file, for: request).cut(after: 400_000) }
            let reply = Reply.file(file, for: request)
            if run == "cutnew" { return reply.cut(after: 400_000) }
            return gates.withLock { $0[run] }.map { reply.gated(after: 2 * Self.block, $0) } ?? reply
        }
    }

    var url: String { server.url("/f").absoluteString }

    func makeFolder() throws -> TemporaryFolder {
        try parent.map { try TemporaryFolder(in: $0) } ?? TemporaryFolder()
    }

    /// Whether room for a large file is reserved where this one goes. On ext4 it is.
    func reservesRoom() throws -> Bool {
        let place = try makeFolder()
        return try withExtendedLifetime(place) {
            let folder = open(place.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard folder >= 0 else { throw SystemError("open") }
            defer { close(folder) }
            var volume = spate_volume()
            return spate_volume_of(folder, &volume) == 0 && volume.kind == 0xEF53
        }
    }

    /// What a run that was not killed leaves: a `whole` file, or 400,000 bytes of one where the answer was `cut`. Both are
    /// of what the server had before; with `cutnew` they are of what it has now.
    func leftover(_ run: String) async throws -> KillLeftover {
        let folder = try makeFolder()
        let words = ["-q", "--retries", "0", "--header", "Run: \(run)", url]
        let child = try CrashProgram.start(words, in: folder.path)
        #expect(try await child.waitForExit() == .status(run == "whole" ? 0 : 1))
        return KillLeftover(of: folder)
    }

    private func arguments(_ run: String, _ options: [String]) -> [String] {
        program == "spate" ? options + ["-q", "--header", "Run: \(run)", url] : [url, run] + options
    }

    /// A run that is killed at a call.
    ///
    /// - Parameter isHeldBack: whether the server holds back what follows the second block until the mark has moved.
    func kill(
        at point: KillPoint.Place,
        run: String,
        in folder: TemporaryFolder,
        isHeldBack: Bool = false
    ) async throws -> KillPoint.Outcome {
        let gate = try Gate()
        if isHeldBack { gates.withLock { $0[run] = gate } }
        let doomed = try KillPoint(point, BuiltProgram.path(program), arguments(run, options), in: folder.path)
        guard isHeldBack else { return try await doomed.outcome() }
        let opener = Task {
            try await eventually("the mark has moved") { self.hasMarkMoved(in: folder) }
            gate.open()
        }
        defer { opener.cancel() }
        return try await doomed.outcome()
    }

    private func hasMarkMoved(in folder: TemporaryFolder) -> Bool {
        let name = "user.spate.durable"
        let sidecar = try? String(contentsOfFile: folder.path(".f.part.spate"), encoding: .utf8)
        let line = sidecar?.split(separator: "\n").first { $0.hasPrefix(name + "=") }?.dropFirst(name.count + 1)
        let mark = line.map(String.init) ?? (try? attributes(of: folder.path("f.part")))?[name]
        return mark.map { !$0.hasPrefix("0 ") } ?? false
    }

    /// A run that is not killed.
    func runOn(_ run: String, in folder: TemporaryFolder) async throws -> ChildProcess.Exit {
        let path = try BuiltProgram.path(program)
        let arguments = arguments(run, nextOptions ?? options)
        return try await ChildProcess(path, arguments, environment: [:], folder: folder.path).waitForExit()
    }

    /// How many bytes the answers to a run's requests had.
    func bytesAnswered(to run: String) -> Int {
        server.requests.filter { $0.fields["Run"] == run && $0.ifNoneMatch != file.etag }.map { request in
            // To a range request for another file the server answers with the whole of this one.
            let isCurrent = request.ifRange.map { $0 == file.etag } ?? true
            guard isCurrent, let ends = request.range?.dropFirst("bytes=".count).split(separator: "-") else {
                return file.bytes.count
            }
            return (ends.count > 1 ? (Int(ends[1]) ?? 0) + 1 : file.bytes.count) - (Int(ends[0]) ?? 0)
        }.reduce(0, +)
    }

    func names(in folder: TemporaryFolder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    /// The names without those of journals, which a killed run of the program leaves.
    func namesOfFiles(in folder: TemporaryFolder) throws -> [String] {
        try names(in: folder).filter { !$0.hasPrefix(".spate-queue-") }
    }

    /// The bytes of a file; `nil` if it does not exist.
    func bytes(_ name: String, in folder: TemporaryFolder) -> Data? {
        try? Data(contentsOf: folder.url(name))
    }

    /// Whether there is a finished file, and it is whole and right.
    func isFinished(in folder: TemporaryFolder) -> Bool {
        bytes("f", in: folder).map { TestBytes.difference($0, from: file.bytes) == nil } ?? false
    }

    /// How many bytes the next run need not fetch: those of the partial file, if they are of this file.
    func bytesHeld(in folder: TemporaryFolder) -> Int {
        let count = bytes("f.part", in: folder)?.count ?? 0
        let record = (try? attributes(of: folder.path("f.part"))) ?? [:]
        if let list = record["user.spate.filled"] {
            return list.split(separator: " ").reduce(0) { count, range in
                let ends = range.split(separator: "-").compactMap { Int($0) }
                return count + ends[1] - ends[0]
            }
        }
        let tag = record["user.spate.validator"]
        return tag.map { $0 == file.etag } ?? true ? count : 0
    }
}

/// What runs left in folders, to be put into others.
struct KillLeftover: Sendable {
    private var folders: [TemporaryFolder] = []

    init() {}

    init(of folder: TemporaryFolder) {
        folders = [folder]
    }

    /// A file that is not Spate's.
    init(stranger name: String, _ bytes: [UInt8]) throws {
        folders = [try TemporaryFolder()]
        try Data(bytes).write(to: folders[0].url(name))
    }

    func merging(_ other: KillLeftover) -> KillLeftover {
        var all = self
        all.folders += other.folders
        return all
    }

    /// Copies all files, with their attributes and dates.
    func put(into folder: TemporaryFolder) async throws {
        for from in folders {
            let copy = try ChildProcess("/bin/cp", ["-a", from.path + "/.", folder.path])
            guard try await copy.waitForExit() == .status(0) else { throw SystemError(copy.errors, number: EIO) }
        }
    }
}
