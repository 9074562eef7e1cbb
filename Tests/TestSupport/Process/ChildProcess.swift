import CSpateTestSystem
import Foundation
import SpateLocking

/// A program that a test runs: everything it says is kept, and it is killed with this object at the latest.
package final class ChildProcess: Sendable {
    /// How a program ended.
    package enum Exit: Sendable, Equatable {
        case status(Int32)
        case signal(Int32)
    }

    package struct State: Sendable, CustomStringConvertible {
        package var output: [UInt8] = []
        package var errors: [UInt8] = []
        /// Set when the program has ended and everything that it said has been read.
        package var exit: Exit?

        package var description: String {
            "exit \(exit.map { "\($0)" } ?? "none yet"), output \(text(output)), errors \(text(errors))"
        }

        private func text(_ bytes: [UInt8]) -> String {
            String(decoding: bytes.suffix(400), as: UTF8.self).debugDescription
        }
    }

    package let pid: Int32
    private let state = Watched(State())
    /// Whether the process is still ours to signal: once it has been waited for, its number may belong to another.
    private let isOurs = Locked(true)
    /// The signal that it gets as soon as it has said something, and what that is.
    private let cue = Locked<(text: String, signal: Int32)?>(nil)

    /// Starts a program by its path, with all signals at their defaults.
    ///
    /// - Parameters:
    ///   - environment: the whole of it, but for a sanitizer's settings; this process's own where `nil`.
    ///   - folder: where it works; where this process works if `nil`.
    ///   - input: what it reads from standard input.
    package init(
        _ path: String,
        _ arguments: [String] = [],
        environment: [String: String]? = nil,
        folder: String? = nil,
        input: [UInt8] = []
    ) throws {
        Turns.expect(for: "starts a program")
        let (output, errors) = (try Pipe(), try Pipe())
        let standardInput = try InputFile(input)
        pid = try SpawnRequest(
            path: path,
            arguments: arguments,
            environment: environment,
            folder: folder,
            descriptors: [standardInput.descriptor, output.writing.number, errors.writing.number]
        ).start()
        output.writing.close()
        errors.writing.close()
        let ends = DispatchGroup()
        let (state, isOurs, pid, cue) = (state, isOurs, pid, cue)
        Self.onThread(in: ends) {
            output.readToEnd { bytes in
                state.update { $0.output += bytes }
                Self.take(cue, from: state, of: pid, isOurs)
            }
        }
        Self.onThread(in: ends) { errors.readToEnd { bytes in state.update { $0.errors += bytes } } }
        Thread {
            var information = siginfo_t()
            while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
            var status: Int32 = 0
            isOurs.withLock { isOurs in
                while waitpid(pid, &status, 0) < 0, errno == EINTR {}
                isOurs = false
            }
            ends.wait()
            let exit = Exit(waitStatus: status)
            state.update { $0.exit = exit }
        }.start()
    }

    deinit {
        send(SIGKILL)
    }

    private static func onThread(in group: DispatchGroup, _ body: @escaping @Sendable () -> Void) {
        group.enter()
        Thread {
            body()
            group.leave()
        }.start()
    }

    /// Everything written to standard output so far.
    package var output: String { String(decoding: state.value.output, as: UTF8.self) }

    /// Everything written to standard error so far.
    package var errors: String { String(decoding: state.value.errors, as: UTF8.self) }

    /// How the program has ended; `nil` while it runs.
    package var exit: Exit? { state.value.exit }

    /// Sends a signal, if the program still runs.
    package func send(_ signal: Int32) {
        isOurs.withLock { isOurs in
            if isOurs { kill(pid, signal) }
        }
    }

    /// Kills the program and its children, which would survive it. Stops the program first, so that it can't start
    /// others.
    package func killWithChildren() {
        send(SIGSTOP)
        let path = "/proc/\(pid)/task/\(pid)/children"
        let children = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        for child in children.split(separator: " ").compactMap({ Int32($0) }) { kill(child, SIGKILL) }
        send(SIGKILL)
    }

    /// Sends a signal as soon as the text has been written to standard output, by the thread that reads it: a task that
    /// waited for the text might come to run much later, on a busy machine.
    package func send(_ signal: Int32, onceSaid text: String) {
        cue.withLock { $0 = (text, signal) }
        Self.take(cue, from: state, of: pid, isOurs)
    }

    private static func take(
        _ cue: Locked<(text: String, signal: Int32)?>,
        from state: Watched<State>,
        of pid: Int32,
        _ isOurs: Locked<Bool>
    ) {
        guard let (text, signal) = cue.withLock({ $0 }),
            String(decoding: state.value.output, as: UTF8.self).contains(text)
        else { return }
        cue.withLock { $0 = nil }
        isOurs.withLock { isOurs in
            if isOurs { kill(pid, signal) }
        }
    }

    /// Returns how the program ended, when it has and everything that it said is in `output` and `errors`.
    @discardableResult
    package func waitForExit(fileID: String = #fileID, line: Int = #line) async throws -> Exit {
        let awaited = "the end of process \(pid)"
        let end = try await state.wait(for: awaited, until: { $0.exit != nil }, fileID: fileID, line: line)
        guard let exit = end.exit else { throw CancellationError() }
        return exit
    }

    /// Returns when the text has been written to standard output or to standard error; throws at once when the program
    /// ends without having written it.
    package func waitForOutput(
        containing text: String,
        fileID: String = #fileID,
        line: Int = #line
    ) async throws {
        let isThere: @Sendable (State) -> Bool = { state in
            [state.output, state.errors].contains { String(decoding: $0, as: UTF8.self).contains(text) }
        }
        let awaited = "\(text.debugDescription) from process \(pid)"
        let end = try await state.wait(
            for: awaited,
            until: { isThere($0) || $0.exit != nil },
            fileID: fileID,
            line: line
        )
        guard isThere(end) else {
            throw DeadlineExceeded(awaited: awaited, limit: .hang, found: "\(end)", place: "\(fileID):\(line)")
        }
    }
}

extension ChildProcess.Exit {
    /// Takes apart what `waitpid` says, as the C macros do.
    init(waitStatus: Int32) {
        let signal = waitStatus & 0x7F
        self = signal == 0 ? .status((waitStatus >> 8) & 0xFF) : .signal(signal)
    }
}
