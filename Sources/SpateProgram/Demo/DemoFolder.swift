import Foundation
import Glibc

/// A new folder for temporary files.
struct DemoFolder {
    let path: String

    /// - Throws: why there is none.
    init() throws(UsageError) {
        let parent = FileManager.default.temporaryDirectory.path
        var template = Array("\(parent)/spate-demo-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw Self.failure(in: parent, errno)
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    static func failure(in parent: String, _ code: Int32) -> UsageError {
        UsageError(
            .demoFolder,
            "can't make a folder in \(parent): \(String(cString: strerror(code))); choose another with TMPDIR"
        )
    }

    func url(_ name: String) -> URL { URL(fileURLWithPath: "\(path)/\(name)", isDirectory: false) }

    /// The names of partial files in it.
    var partials: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.filter { $0.hasSuffix(".part") }
    }

    /// How large the partial file is of a name that nothing else wants.
    func partialSize(of name: String) -> Int {
        var status = stat()
        return stat("\(path)/\(name).part", &status) == 0 ? Int(status.st_size) : 0
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }
}
