import CSpateSpawn
import Glibc
import SpateConsole
import Synchronization

/// One run of a program that an option names: what it reads and prints, how long it may take, and its end.
final class ProgramRun {
    struct Limits {
        /// `nil` for no limit.
        var time: Duration?
        /// The longest answer on standard output. `nil` if that is shown like standard error.
        var answerBytes: Int?
    }

    /// The time between SIGTERM and SIGKILL.
    private static let grace = Duration.seconds(2)
    /// How long children of a program that has exited may keep its output open.
    private static let lastWords = Duration.seconds(1)

    private let child: spate_child
    private let limits: Limits
    private let isStopped: () -> Bool
    private let start = ContinuousClock.now
    private var input: ArraySlice<UInt8>
    private var answer: [UInt8] = []
    private var shown: ShownOutput
    /// Our ends that are still open.
    private var streams: Set<Int32>
    /// Why it is being ended, and since when.
    private var ending: (failure: ProgramFailure, start: ContinuousClock.Instant)?

    /// Runs a program to its end, and returns its answer. Blocks.
    ///
    /// - Parameters:
    ///   - input: its standard input.
    ///   - stop: ends the program when it is set.
    ///   - show: called with each line to show, on this thread.
    static func run(
        _ program: OptionProgram,
        _ input: String,
        _ limits: Limits,
        among programs: RunningPrograms,
        stop: StopFlag = StopFlag(),
        show: @escaping (String) -> Void
    ) throws(ProgramFailure) -> [UInt8] {
        guard !stop.isSet else { throw .stopped }
        let child = try programs.start(program, hasAnswer: limits.answerBytes != nil)
        let run = ProgramRun(child, input, limits, { stop.isSet || programs.areEnding }, show)
        run.waitForEnd()
        let status = programs.collect(child.pid)
        return try run.result(status)
    }

    private init(
        _ child: spate_child,
        _ input: String,
        _ limits: Limits,
        _ isStopped: @escaping () -> Bool,
        _ show: @escaping (String) -> Void
    ) {
        (self.child, self.limits, self.isStopped) = (child, limits, isStopped)
        self.input = Array(input.utf8)[...]
        shown = ShownOutput(show: show)
        streams = Set([child.input, child.output, child.errors].filter { $0 >= 0 })
    }

    private func result(_ status: Int32) throws(ProgramFailure) -> [UInt8] {
        shown.end()
        if let ending { throw ending.failure }
        let signal = status & 0x7F
        guard signal == 0 else { throw .signal(signal) }
        guard status == 0 else { throw .status((status >> 8) & 0xFF) }
        if isTooLong { throw .longAnswer(bytes: limits.answerBytes ?? 0) }
        return answer
    }

    /// Passes on input and output until the program has exited, without collecting it.
    private func waitForEnd() {
        var exit: ContinuousClock.Instant?
        var pause: Int32 = 1
        while true {
            // An exit is not an event for poll(2). It mostly comes with the end of the output.
            pause = transfer(waiting: pause) ? 1 : min(50, pause * 2)
            if exit == nil, hasExited { exit = .now }
            guard let exit else {
                endIfNeeded()
                continue
            }
            if streams.subtracting([child.input]).isEmpty || .now - exit > Self.lastWords { break }
        }
        for stream in streams { close(stream) }
    }

    private var isTooLong: Bool { answer.count > limits.answerBytes ?? 0 }

    private var hasExited: Bool {
        var information = siginfo_t()
        return waitid(P_PID, id_t(child.pid), &information, WEXITED | WNOHANG | WNOWAIT) != 0
            || information.si_signo == SIGCHLD
    }

    private func endIfNeeded() {
        let now = ContinuousClock.now
        if let ending {
            if now - ending.start > Self.grace { kill(-child.pid, SIGKILL) }
            return
        }
        let failure: ProgramFailure
        if isStopped() {
            failure = .stopped
        } else if let limit = limits.time, now - start > limit {
            failure = .tookTooLong(limit)
        } else if isTooLong {
            failure = .longAnswer(bytes: limits.answerBytes ?? 0)
        } else {
            return
        }
        ending = (failure, now)
        kill(-child.pid, SIGTERM)
    }

    // MARK: Streams

    /// Waits for the streams, but no longer than this, and reads and writes what is possible.
    ///
    /// - Returns: whether there was anything to do.
    private func transfer(waiting milliseconds: Int32) -> Bool {
        var watched = streams.map { stream in
            pollfd(fd: stream, events: Int16(stream == child.input ? POLLOUT : POLLIN), revents: 0)
        }
        guard poll(&watched, nfds_t(watched.count), milliseconds) > 0 else { return false }
        for stream in watched where stream.revents != 0 {
            if stream.fd == child.input { write() } else { read(stream.fd) }
        }
        return true
    }

    private func write() {
        let count = input.withUnsafeBytes { Glibc.write(child.input, $0.baseAddress, $0.count) }
        if count >= 0 { input = input.dropFirst(count) }
        // It may exit without reading.
        if input.isEmpty || count < 0 && errno != EAGAIN && errno != EINTR { close(child.input) }
    }

    private func read(_ stream: Int32) {
        withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 1) { buffer in
            let count = Glibc.read(stream, buffer.baseAddress, buffer.count)
            if count > 0 {
                let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                if stream == child.errors {
                    shown.add(bytes)
                } else if answer.count <= limits.answerBytes ?? 0 {
                    answer += bytes
                }
            } else if count == 0 || errno != EAGAIN && errno != EINTR {
                close(stream)
            }
        }
    }

    private func close(_ stream: Int32) {
        Glibc.close(stream)
        streams.remove(stream)
    }
}

/// Set once, from any thread.
final class StopFlag: Sendable {
    private let flag = Atomic(false)

    var isSet: Bool { flag.load(ordering: .relaxed) }

    func set() { flag.store(true, ordering: .relaxed) }
}
