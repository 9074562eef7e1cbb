import CSpateTestSystem
import Foundation

/// What `posix_spawn` is asked for: Foundation's `Process` is slow to start and hard to kill reliably.
package struct SpawnRequest {
    let path: String
    let arguments: [String]
    let environment: [String: String]?
    let folder: String?
    /// What becomes the child's descriptors 0, 1 and 2. It inherits no other.
    let descriptors: [Int32]

    package init(
        path: String,
        arguments: [String],
        environment: [String: String]?,
        folder: String?,
        descriptors: [Int32]
    ) {
        (self.path, self.arguments, self.environment) = (path, arguments, environment)
        (self.folder, self.descriptors) = (folder, descriptors)
    }

    package func start() throws -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in descriptors.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
        }
        spate_test_addclosefrom(&actions, Int32(descriptors.count))
        if let folder { spate_test_addchdir(&actions, folder) }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGINT, SIGTERM, SIGPIPE, SIGHUP, SIGQUIT] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        // How a sanitizer works in a program that was built with one is not the test's to say.
        let own = ProcessInfo.processInfo.environment
        let variables = environment?.merging(own.filter { $0.key.hasSuffix("SAN_OPTIONS") }) { $1 } ?? own
        let result = Self.withStrings([path] + arguments) { arguments in
            Self.withStrings(variables.map { "\($0.key)=\($0.value)" }) { variables in
                var pid: pid_t = 0
                let number = posix_spawn(&pid, path, &actions, &attributes, arguments, variables)
                return (pid: pid, number: number)
            }
        }
        guard result.number == 0 else { throw SystemError("start of \(path)", number: result.number) }
        return result.pid
    }

    private static func withStrings<Result>(
        _ strings: [String],
        _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }
}
