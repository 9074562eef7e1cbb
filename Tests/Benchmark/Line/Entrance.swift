import CLine
import Glibc

/// The way into a namespace.
enum Entrance {
    /// Becomes a program in it.
    ///
    /// - Parameter words: the paths of a user namespace and of a network namespace, the program's path, its arguments.
    static func enter(_ words: [String]) throws(LineFailure) -> Never {
        // A process cannot join the user namespace that it is in.
        if !isOwn(words[0]) {
            guard line_join_user(try descriptor(of: words[0])) == 0 else { throw LineFailure("joining \(words[0])") }
        }
        guard line_join_network(try descriptor(of: words[1])) == 0 else { throw LineFailure("joining \(words[1])") }
        let arguments = words.dropFirst(2).map { strdup($0) } + [nil]
        execv(words[2], arguments)
        throw LineFailure(words[2])
    }

    private static func isOwn(_ path: String) -> Bool {
        var (own, other) = (stat(), stat())
        return stat("/proc/self/ns/user", &own) == 0 && stat(path, &other) == 0 && own.st_ino == other.st_ino
            && own.st_dev == other.st_dev
    }

    private static func descriptor(of path: String) throws(LineFailure) -> Int32 {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw LineFailure(path) }
        return file
    }
}
