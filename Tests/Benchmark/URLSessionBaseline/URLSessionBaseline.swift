import Foundation
import FoundationNetworking

/// `urlsession-baseline JOBS FOLDER LIST`: fetches the URLs of a list into a folder, JOBS at once, as a program
/// would that knows only Foundation. Exit: 0 with all of them in place, 1 otherwise, 2 for wrong usage.
@main enum URLSessionBaseline {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let jobs = Int(arguments[1]), jobs > 0,
            let list = try? String(contentsOfFile: arguments[3], encoding: .utf8)
        else {
            FileHandle.standardError.write(Data("usage: urlsession-baseline JOBS FOLDER LIST\n".utf8))
            exit(2)
        }
        let folder = URL(fileURLWithPath: arguments[2], isDirectory: true)
        let configuration = URLSessionConfiguration.default
        // Six unless set, which would be fewer than was asked for.
        configuration.httpMaximumConnectionsPerHost = jobs
        configuration.urlCache = nil
        let session = URLSession(configuration: configuration)
        var urls = list.split(separator: "\n").compactMap { URL(string: String($0)) }[...]
        let failures = await withTaskGroup(of: Bool.self) { group in
            for url in urls.prefix(jobs) { group.addTask { await fetch(url, with: session, into: folder) } }
            urls = urls.dropFirst(jobs)
            var failures = 0
            for await isThere in group {
                failures += isThere ? 0 : 1
                if let url = urls.popFirst() {
                    group.addTask { await fetch(url, with: session, into: folder) }
                }
            }
            return failures
        }
        exit(failures == 0 ? 0 : 1)
    }

    private static func fetch(_ url: URL, with session: URLSession, into folder: URL) async -> Bool {
        await withCheckedContinuation { continuation in
            session.downloadTask(with: url) { file, response, error in
                guard let file, (response as? HTTPURLResponse)?.statusCode == 200 else {
                    let reason = error.map { "\($0)" } ?? "not answered with 200"
                    FileHandle.standardError.write(Data("\(url): \(reason)\n".utf8))
                    return continuation.resume(returning: false)
                }
                // The file is gone when this returns, so it is moved in here.
                let place = folder.appendingPathComponent(url.lastPathComponent)
                let moved: ()? = try? FileManager.default.moveItem(at: file, to: place)
                continuation.resume(returning: moved != nil)
            }.resume()
        }
    }
}
