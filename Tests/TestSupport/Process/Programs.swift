import Foundation
import Glibc

/// The executables that were built together with the tests.
package enum BuiltProgram {
    /// The path of an executable product, which lies beside the test bundle. Throws where it was not built.
    package static func path(_ name: String) throws -> String {
        let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let path = folder.appendingPathComponent(name).path
        guard access(path, X_OK) == 0 else { throw SystemError("executable \(path)") }
        return path
    }
}

/// The programs of the system.
package enum InstalledProgram {
    /// `nil` where it is not installed. The folders of administrators' programs are in no user's PATH.
    package static func path(_ name: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "") + ":/usr/sbin:/usr/local/sbin"
        return folders.split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }
}

/// Whether this process was built with a sanitizer, which takes time of its own, and memory too.
package enum Sanitizer {
    package static let isPresent = dlsym(nil, "__tsan_init") != nil || dlsym(nil, "__asan_init") != nil
}
