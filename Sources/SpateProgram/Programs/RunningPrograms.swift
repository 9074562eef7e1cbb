import CSpateSpawn
import Dispatch
import Glibc
import SpateConsole
import Synchronization

/// The programs that run for this one. None outlives it, unless it has left its session.
actor RunningPrograms: QueueActor {
    nonisolated let executor = QueueExecutor(label: "spate.programs")
    private var pids: Set<pid_t> = []
    private let running = DispatchGroup()
    private let ends = Atomic(false)

    init() {
        // Where the caller has ignored it, the kernel forgets how a child ended.
        signal(SIGCHLD, SIG_DFL)
    }

    /// Whether all programs are being ended, and no other starts.
    nonisolated var areEnding: Bool { ends.load(ordering: .relaxed) }

    /// Starts a program. ``collect(_:)`` must follow.
    nonisolated func start(_ program: OptionProgram, hasAnswer: Bool) throws(ProgramFailure) -> spate_child {
        try now { $0.spawn(program, hasAnswer: hasAnswer) }.get()
    }

    private func spawn(_ program: OptionProgram, hasAnswer: Bool) -> Result<spate_child, ProgramFailure> {
        guard !areEnding else { return .failure(.stopped) }
        var child = spate_child()
        let code = spate_spawn(program.path, program.name, hasAnswer ? 1 : 0, &child)
        guard code == 0 else { return .failure(.notStarted(code: code)) }
        pids.insert(child.pid)
        running.enter()
        return .success(child)
    }

    /// Ends what a program has left running in its process group, and returns how it ended.
    ///
    /// - Parameter pid: a program that has exited. Its number belongs to no other until now.
    nonisolated func collect(_ pid: pid_t) -> Int32 {
        now { programs in
            Glibc.kill(-pid, SIGKILL)
            programs.pids.remove(pid)
            var status: Int32 = 0
            while waitpid(pid, &status, 0) < 0, errno == EINTR {}
            programs.running.leave()
            return status
        }
    }

    /// Ends all programs and their children, and waits for that.
    nonisolated func end() {
        ends.store(true, ordering: .relaxed)
        // After a program that is being started.
        executor.queue.sync {}
        if running.wait(timeout: .now() + .seconds(5)) == .timedOut { kill() }
    }

    /// Kills all programs and their children at once.
    nonisolated func kill() {
        ends.store(true, ordering: .relaxed)
        let isDone = DispatchSemaphore(value: 0)
        soon { programs in
            for pid in programs.pids { Glibc.kill(-pid, SIGKILL) }
            isDone.signal()
        }
        // Don't wait for a program on a file system that hangs.
        _ = isDone.wait(timeout: .now() + .milliseconds(500))
    }
}
