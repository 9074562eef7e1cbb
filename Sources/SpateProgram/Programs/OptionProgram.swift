import Foundation
import Glibc
import SpateConsole

/// A program that an option names.
struct OptionProgram: Equatable, Sendable {
    /// As it was given.
    let name: String
    let path: String

    /// The name in messages.
    var shown: String { PlainText.oneLine(name) }

}

extension OptionProgram {
    /// - Parameters:
    ///   - name: a path, or a name to search in PATH.
    ///   - option: the option as typed: `--on-finish`.
    init(_ name: String, option: String) throws(UsageError) {
        let places = name.utf8.contains(UInt8(ascii: "/")) ? [name] : Self.folders.map { "\($0)/\(name)" }
        // As a shell: a program that may not be run is only the answer if no other folder has one.
        var reason = ENOENT
        for place in places {
            if Arguments.isFolder(place) {
                if reason == ENOENT { reason = EISDIR }
            } else if access(place, X_OK) == 0 {
                self.init(name: name, path: URL(fileURLWithPath: place).path)
                return
            } else if errno != ENOENT, errno != ENOTDIR {
                reason = errno
            }
        }
        throw Self.unusable(name, option, reason)
    }

    private static var folders: [String] {
        let list = ProcessInfo.processInfo.environment["PATH"] ?? "/bin:/usr/bin"
        // An empty one is the current folder.
        return list.split(separator: ":", omittingEmptySubsequences: false).map { $0.isEmpty ? "." : String($0) }
    }

    private static func unusable(_ name: String, _ option: String, _ reason: Int32) -> UsageError {
        let advice =
            if name.contains(" ") {
                "it takes one program without arguments: put them into a script"
            } else if reason == ENOENT, !name.utf8.contains(UInt8(ascii: "/")) {
                "no folder of PATH has it; for one in the current folder, give \(option) ./\(PlainText.oneLine(name))"
            } else if reason == EACCES {
                "name a program that you may run; for a script of yours: chmod +x"
            } else {
                "name a program"
            }
        let text = String(cString: strerror(reason))
        return UsageError(.unusableProgram, "can't run \(option) \(PlainText.quoted(name)): \(text); \(advice)")
    }
}

/// The programs that options name, found before the first request.
struct OptionPrograms: Equatable, Sendable {
    var refresh: OptionProgram?
    var onFinish: OptionProgram?
    var onFailure: OptionProgram?
}

extension OptionPrograms {
    init(_ arguments: Arguments) throws(UsageError) {
        func program(_ name: String?, _ option: String) throws(UsageError) -> OptionProgram? {
            guard let name else { return nil }
            return try OptionProgram(name, option: option)
        }
        self.init(
            refresh: try program(arguments.refreshCommand, "--refresh-command"),
            onFinish: try program(arguments.finishHook, "--on-finish"),
            onFailure: try program(arguments.failureHook, "--on-failure")
        )
    }
}
