import Foundation
import SpateTestSupport
import Testing

/// A run of an example. The folder is its current folder and its home.
final class ExampleRun: Sendable {
    let child: ChildProcess

    /// - Parameter input: the path of its standard input.
    init(_ name: String, _ arguments: [String], in folder: TemporaryFolder, input: String = "/dev/null") throws {
        let environment = ProcessInfo.processInfo.environment
            // Foundation ignores HOME, but not CFFIXED_USER_HOME.
            .filter { !$0.key.lowercased().hasSuffix("_proxy") && !$0.key.hasPrefix("XDG_") }
            .merging(["CFFIXED_USER_HOME": folder.path]) { $1 }
        child = try ChildProcess(
            "/bin/sh",
            ["-c", #"input=$1; shift; exec "$@" < "$input""#, "sh", input, BuiltProgram.path(name)] + arguments,
            environment: environment,
            folder: folder.path
        )
    }

    /// Waits for the end with this exit code, and returns the lines of standard output.
    func lines(code: Int32) async throws -> [String] {
        let exit = try await child.waitForExit()
        #expect(exit == .status(code), "\(child.output) \(child.errors)")
        return child.output.split(separator: "\n").map(String.init)
    }
}

/// A named pipe for the input of a running program.
final class CommandPipe: Sendable {
    let path: String
    private let handle: FileHandle

    init(in folder: TemporaryFolder) throws {
        path = folder.path("commands")
        guard mkfifo(path, 0o600) == 0 else { throw SystemError("mkfifo") }
        // Opening it for reading and writing does not block.
        let number = open(path, O_RDWR | O_CLOEXEC)
        guard number >= 0 else { throw SystemError("open of a pipe") }
        handle = FileHandle(fileDescriptor: number, closeOnDealloc: true)
    }

    func type(_ line: String) throws { try handle.write(contentsOf: Data("\(line)\n".utf8)) }
}
