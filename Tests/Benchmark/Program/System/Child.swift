import Foundation

/// A program that runs. It gets SIGTERM with this object at the latest.
final class Child: Sendable {
    private let process = Process()
    private let said: TemporaryFolder

    /// Starts a program by its path.
    ///
    /// - Parameter environment: the whole of it; this process's own if `nil`.
    init(_ path: String, _ arguments: [String] = [], environment: [String: String]? = nil, folder: String? = nil) throws
    {
        said = try TemporaryFolder()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        if let environment { process.environment = environment }
        if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try Self.file(said.path("output"))
        process.standardError = try Self.file(said.path("errors"))
        try process.run()
    }

    deinit {
        terminate()
    }

    private static func file(_ path: String) throws -> FileHandle {
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let file = FileHandle(forWritingAtPath: path)
        else { throw SystemError("making \(path)") }
        return file
    }

    var pid: Int32 { process.processIdentifier }
    var isRunning: Bool { process.isRunning }
    var output: String { text("output") }
    var errors: String { text("errors") }

    private func text(_ name: String) -> String {
        (try? Data(contentsOf: said.url(name))).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    func send(_ signal: Int32) {
        if process.isRunning { kill(process.processIdentifier, signal) }
    }

    func terminate() { send(SIGTERM) }

    /// The status with which it has ended, or as a shell says it, 128 and the signal that ended it.
    @discardableResult
    func end() async throws -> Int32 {
        while process.isRunning { try await Task.sleep(for: .milliseconds(2)) }
        return process.terminationStatus + (process.terminationReason == .uncaughtSignal ? 128 : 0)
    }
}

/// Where programs are.
enum ProgramPath {
    /// The path of a program that was built with this one, and lies beside it.
    static func built(_ name: String) throws -> String {
        let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let path = folder.appendingPathComponent(name).path
        guard access(path, X_OK) == 0 else { throw SystemError("executable \(path)") }
        return path
    }

    /// `nil` if it is not installed. The folders of administrators' programs are in no user's PATH.
    static func installed(_ name: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "") + ":/usr/sbin:/usr/local/sbin"
        return folders.split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }
}
