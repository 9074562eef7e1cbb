import Glibc

/// Why the demo can't run here. The numbers are those of `errno`.
package enum DemoFailure: Error {
    /// There is no room for temporary files in the folder.
    case folder(String, Int32)
    /// The server can't listen.
    case server(Int32)

    /// What is wrong, and what to do instead.
    package var message: String {
        switch self {
        case .folder(let parent, let code):
            "can't create a folder in \(parent): \(String(cString: strerror(code))); choose another with TMPDIR"
        case .server(let code):
            "the demo's server can't listen on 127.0.0.1: \(String(cString: strerror(code))); the demo needs the "
                + "loopback network"
        }
    }
}
