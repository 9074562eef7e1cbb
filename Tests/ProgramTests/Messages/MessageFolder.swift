import Foundation
import TestSupport

@testable import SpateProgram

/// The folder that wrong calls are about, and what the program answers to them.
struct MessageFolder {
    private let folder: TemporaryFolder
    /// What the folder is called in words and answers, wherever it is.
    private static let name = "FOLDER"

    init() throws {
        folder = try TemporaryFolder()
        let files = [
            "urls.txt": "https://example.com/a.iso\n",
            "a.iso.part": "a",
            "bad.txt": "https://example.com/a.iso\nexample.com/b.iso\n",
            "long.txt": "https://example.com/" + String(repeating: "a", count: LineReader.longestLine),
        ]
        for (name, text) in files { try Data(text.utf8).write(to: folder.url(name)) }
        try FileManager.default.createDirectory(at: folder.url("disks"), withIntermediateDirectories: false)
    }

    /// What a call is refused with; `nil` when it is not.
    func refusal(of call: WrongCall) -> UsageError? {
        do throws(UsageError) {
            let arguments = try ArgumentParser.parse(call.words.map { $0.replacing(Self.name, with: folder.path) })
            switch arguments.command {
            case .get: _ = try GetCommand.begin(arguments)
            case .status: _ = try StatusCommand.run(arguments)
            case .resume: _ = try ResumeCommand.run(arguments)
            case .delete: _ = try DeleteCommand.run(arguments)
            case .demo, .help, .version: break
            }
            return nil
        } catch {
            return UsageError(error.kind, error.message.replacing(folder.path, with: Self.name))
        }
    }
}
