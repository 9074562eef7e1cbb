import Foundation
import TestSupport
import Testing

/// An example at work in a folder of its own, which is its user's home as well.
final class ExampleRun: Sendable {
    let child: ChildProcess

    /// - Parameter input: the path of what it reads from standard input.
    init(_ name: String, _ arguments: [String], in folder: TemporaryFolder, input: String = "/dev/null") throws {
        let environment = ProcessInfo.processInfo.environment
            // Foundation asks neither HOME nor anything else for the home of who is logged in.
            .filter { !$0.key.lowercased().hasSuffix("_proxy") && !$0.key.hasPrefix("XDG_") }
            .merging(["CFFIXED_USER_HOME": folder.path]) { $1 }
        child = try ChildProcess(
            "/bin/sh",
            ["-c", #"input=$1; shift; exec "$@" < "$input""#, "sh", input, BuiltProgram.path(name)] + arguments,
            environment: environment,
            folder: folder.path
        )
    }

    /// What it wrote, line by line, after it ended with this code.
    func lines(code: Int32) async throws -> [String] {
        let exit = try await child.waitForExit()
        #expect(exit == .status(code), "\(child.output) \(child.errors)")
        return child.output.split(separator: "\n").map(String.init)
    }
}

/// A pipe with a name, for who types while a program reads.
final class CommandPipe: Sendable {
    let path: String
    private let handle: FileHandle

    init(in folder: TemporaryFolder) throws {
        path = folder.path("commands")
        guard mkfifo(path, 0o600) == 0 else { throw SystemError("mkfifo") }
        // For both, so that opening waits for nobody.
        let number = open(path, O_RDWR | O_CLOEXEC)
        guard number >= 0 else { throw SystemError("open of a pipe") }
        handle = FileHandle(fileDescriptor: number, closeOnDealloc: true)
    }

    func type(_ line: String) throws { try handle.write(contentsOf: Data("\(line)\n".utf8)) }
}
