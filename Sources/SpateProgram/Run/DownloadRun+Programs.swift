import Dispatch
import Spate
import SpateConsole

/// The programs of `--refresh-command`, `--on-finish` and `--on-failure`.
extension DownloadRun {
    /// What prepares each attempt, if the user has chosen a program for that.
    var refreshCommand: RefreshCommand? {
        RefreshCommand(of: files.programs, arguments, among: programs) { [weak self] in self?.show($0) }
    }

    /// Shows a line of a program, before the end of what it was run for.
    nonisolated private func show(_ notice: Notice) { soon { $0.display.say(notice.text) } }

    /// Runs the next hook in the background, unless one is running.
    func runNextHook() {
        guard let call = hooks.begin() else { return }
        DispatchQueue.global().async { [self] in
            let failure = run(call)
            soon { $0.hookEnded(call, failure) }
        }
    }

    nonisolated private func run(_ call: HookQueue.Call) -> ProgramFailure? {
        do throws(ProgramFailure) {
            _ = try ProgramRun.run(call.program, call.input, .init(), among: programs, stop: hookStop) { line in
                self.show(Notice.output(of: call.program, line))
            }
            return nil
        } catch {
            return error
        }
    }

    private func hookEnded(_ call: HookQueue.Call, _ failure: ProgramFailure?) {
        hooks.end(failed: failure != nil)
        guard phase.exitCode == nil else { return }
        if let failure { display.say(Notice.hookFailed(call.url, call.program, failure).text) }
        runNextHook()
        startNext()
    }

    /// Says what the run waits for, unless it is over soon.
    func awaitHooks() {
        guard !awaitsHooks, phase.isGoingOn, !arguments.isQuiet else { return }
        awaitsHooks = true
        soon(after: .seconds(2)) { run in
            guard run.phase.isGoingOn else { return }
            run.display.say(Notice.hooksAwaited(run.hooks.leftCount).text)
        }
    }

    /// Ends the running hook, and drops the others.
    func stopHooks() {
        let count = hooks.stop()
        hookStop.set()
        if count > 0 { display.say(Notice.hooksLeft(count).text) }
    }
}
