import Foundation
import Spate
import SpateFileSystemCalls

/// How processes of a world start and end.
extension World {
    func startProcess() {
        lastProcess += 1
        let process = SimulatedProcess(lastProcess, on: timeline)
        process.skew = { [wallClock] in wallClock.skew }
        timeline.note("process \(lastProcess) starts")
        startManager(in: process)
    }

    func startManager(in process: SimulatedProcess) {
        managerCounts[process.number, default: 0] += 1
        let key = ObjectIdentifier(process)
        let shared =
            surroundings[key]
            ?? Surroundings(
                transport: network.transport(for: process),
                platform: disk.platform(
                    for: process,
                    boot: BootID(String(format: "00000000-0000-0000-0000-%012x", boot))
                ),
                digests: .simulated { SimulatedDigest($0) }
            )
        surroundings[key] = shared
        sessions.append(Session(self, process: process, in: shared))
    }

    private func cutPower() {
        timeline.note("the power is cut")
        end(sessions.map(\.process))
        disk.cutPower()
        forgetFailuresLostWithThePower()
        boot += 1
        checkPromises(after: "a power cut")
        startProcess()
    }

    func end(_ processes: [SimulatedProcess]) {
        for process in processes {
            disk.kill(process)
            surroundings[ObjectIdentifier(process)] = nil
        }
        timeline.removeDead()
        network.removeDead()
        let ended = sessions.filter { !$0.process.isAlive }
        sessions.removeAll { !$0.process.isAlive }
        for session in ended { session.close() }
        settle()
    }
}

/// What is enqueued survives a kill.
extension World {
    /// What a process has enqueued in its own folder and has not ended, if its queue must be there after a kill.
    private func keptQueue(of process: SimulatedProcess) -> [URL] {
        // Others may have done it, harmed it, or be about to write it.
        guard traits.keepsQueue, isUndisturbed, jobsAreWhole, sessions.count == 1,
            managerCounts[process.number] == 1, let manager = sessions.first?.manager
        else { return [] }
        return manager.downloads.filter { $0.request.directory == nil }.map(\.url) + failed.keys
    }

    private func checkQueue() {
        guard !queueAtKill.isEmpty, let manager = sessions.last?.manager else { return }
        let queued = (try? manager.storedQueue())?.map(\.url) ?? []
        let begun = (try? manager.storedDownloads())?.map(\.url) ?? []
        for url in queueAtKill where !queued.contains(url) && !begun.contains(url) && !isKept(url, by: manager) {
            fail("\(shown(url)) was enqueued or has failed, and is not in the queue after a kill")
        }
        queueAtKill = []
    }
}

/// Ends in the middle of something.
extension World {
    /// What ends a process at one of its next calls on files.
    enum Interruption {
        case kill, powerCut
    }

    /// Has the process that comes to it end in the middle of what it does.
    ///
    /// - Parameter name: which calls count; all if it is `nil`.
    func plan(_ kind: Interruption, afterCalls count: Int, named name: String? = nil) {
        interruption = (kind, count)
        disk.beforeCall = { [unowned self] process, call in
            guard let planned = interruption, planned.callsLeft >= 0, name.map({ $0 == call }) ?? true else { return }
            interruption?.callsLeft -= 1
            guard planned.callsLeft == 0 else { return }
            timeline.note("process \(process.number) ends before its call: \(call)")
            disk.kill(process)
        }
    }

    /// Ends it now, or, if the power is cut, all.
    func interrupt(_ process: SimulatedProcess, by kind: Interruption) {
        timeline.note("process \(process.number) ends: \(kind)")
        interruption = (kind, -1)
        if kind == .kill { queueAtKill = keptQueue(of: process) }
        for process in kind == .powerCut ? sessions.map(\.process) : [process] { disk.kill(process) }
    }

    /// The world notices that a process has ended, and starts another.
    func endInterrupted() {
        guard let planned = interruption, planned.callsLeft < 0 else { return }
        (interruption, disk.beforeCall) = (nil, nil)
        finishJobs()
        switch planned.kind {
        case .powerCut: cutPower()
        case .kill:
            end(sessions.map(\.process).filter { !$0.isAlive })
            startProcess()
            checkQueue()
        }
    }
}
