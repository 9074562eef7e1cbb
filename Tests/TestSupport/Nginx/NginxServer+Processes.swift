import Foundation
import SpateLocking

extension NginxServer {
    /// Starts it again, at the same ports, and returns when it listens.
    package func start() async throws {
        guard let program = Self.program else { throw SystemError("nginx", number: ENOENT) }
        let arguments = ["-p", home.path, "-c", "nginx.conf", "-e", "stderr"]
        let process = try ChildProcess(program, arguments, environment: [:], folder: home.path)
        inside.withLock { $0.process = process }
        try await process.waitForOutput(containing: "start worker process ")
    }

    /// Goes over to other settings, and returns when only new processes take connections. What is under
    /// way is finished by the old ones.
    package func reload(_ settings: NginxSettings) async throws {
        try configure(settings)
        guard let process = inside.withLock({ $0.process }) else { throw SystemError("reload", number: ESRCH) }
        let farewell = "gracefully shutting down"
        let (before, errors) = (process.errors.occurrences(of: farewell), process.errors.occurrences(of: "[emerg]"))
        process.send(SIGHUP)
        try await eventually("the reloading of nginx") {
            let said = process.errors
            guard said.occurrences(of: "[emerg]") == errors else { throw NginxFailure(errors: said) }
            return said.occurrences(of: farewell) > before
        }
    }

    /// How it is stopped.
    package enum Stop: Sendable {
        /// At once, all connections with it.
        case fast
        /// When everything under way has been answered.
        case graceful
        /// Without being asked.
        case killed
    }

    /// Returns when all of its processes have ended.
    package func stop(_ stop: Stop) async throws {
        guard let process = inside.withLock({ $0.process }) else { return }
        switch stop {
        case .fast: process.send(SIGTERM)
        case .graceful: process.send(SIGQUIT)
        case .killed: killAll()
        }
        // Every process of it holds the pipes: this is the end of them all.
        try await process.waitForExit()
        inside.withLock { inside in
            inside.process = nil
            inside.earlierLog += process.output
        }
    }

    func killAll() {
        inside.withLock { $0.process }?.killWithChildren()
    }
}
