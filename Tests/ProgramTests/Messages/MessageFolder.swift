import Foundation
import SpateTestSupport

@testable import SpateProgram

/// The folder for the usage errors of `WrongCalls`.
struct MessageFolder {
    private let folder: TemporaryFolder
    /// Stands for the folder's path in arguments and messages.
    private static let name = "FOLDER"

    init() throws {
        folder = try TemporaryFolder()
        let files = [
            "urls.txt": "https://example.com/a.iso\n",
            "a.iso.part": "a",
            "bad.txt": "https://example.com/a.iso\nexample.com/b.iso\n",
            "space.txt": "https://example.com/a b.iso\n",
            "mirrors.txt": "https://example.com/a.iso https://example.org/a.iso\n",
            "options.txt": "https://example.com/a.iso\n  splt=5\n",
            "pair.txt": "https://example.com/a.iso\n  name=a.iso\n",
            "magnet.txt": "magnet:?xt=urn:btih:1\n gid=1\n",
            "torrent.txt": "/home/me/a.torrent\n",
            "path.txt": "https://example.com/a.iso\n  out=disks/\n",
            "output.txt": "https://example.com/a.iso\n  out=-\n",
            "header.txt": "https://example.com/a.iso\n  header=secret\n",
            "digest.txt": "https://example.com/a.iso\n  checksum=sha-256=2c26\n",
            "first.txt": "  out=a.iso\nhttps://example.com/a.iso\n",
            "flat.txt": "https://example.com/a.iso\nout=a.iso\n",
            "twice.txt": "https://a:secret@example.com/a.iso\nhttps://b:secret@example.com/a.iso\n",
            "bad.meta4": "<metalink xmlns='urn:ietf:params:xml:ns:metalink'>\n<file name='a.iso'></metalink>\n",
            "ftp.meta4": "<metalink xmlns='urn:ietf:params:xml:ns:metalink'><file name='a.iso'>"
                + "<url>ftp://example.com/a.iso</url></file></metalink>\n",
            "a.meta4": "<metalink xmlns='urn:ietf:params:xml:ns:metalink'><file name='a.iso'>"
                + "<url>https://example.com/a.iso</url></file><file name='b.iso'><url>https://example.com/b.iso</url>"
                + "</file></metalink>\n",
            "headers.txt": "X-One: 1\nsecret\n",
            "netrc": "machine example.com login me password \"secret\n",
            "cookies.txt": "# Netscape HTTP Cookie File\n.example.com\tTRUE\t/\tTRUE\tsecret\n",
            "cookie.txt": "example.com\tFALSE\t/\tFALSE\t0\tname\tvalue\n",
            "MD5SUMS": "900150983cd24fb0d6963f7d28e17f72  a.iso\nd41d8cd98f00b204e9800998ecf8427e  ./a.iso\n",
            "long.txt": "https://example.com/" + String(repeating: "a", count: LineReader.longestLine),
        ]
        for (name, text) in files { try folder.write(text, to: name) }
        try Data("https://example.com/caf".utf8 + [0xE9]).write(to: folder.url("latin1.txt"))
        try FileManager.default.createDirectory(at: folder.url("disks"), withIntermediateDirectories: false)
    }

    /// The usage error of a command line. `nil` if there is none.
    func refusal(of words: [String]) -> UsageError? {
        do {
            let arguments = try ArgumentParser.parse(words.map { $0.replacing(Self.name, with: folder.path) })
            switch arguments.command {
            case .get: _ = try GetCommand.prepare(arguments)
            case .status: _ = try StatusCommand.run(arguments)
            case .resume: _ = try ResumeCommand.run(arguments)
            case .verify: _ = try VerifyCommand.run(arguments)
            case .repair: _ = try RepairCommand.run(arguments)
            case .delete: _ = try DeleteCommand.run(arguments)
            case .demo, .completions, .help, .version: break
            }
            return nil
        } catch let error as UsageError {
            return UsageError(error.kind, error.message.replacing(folder.path, with: Self.name))
        } catch {
            return nil
        }
    }
}
