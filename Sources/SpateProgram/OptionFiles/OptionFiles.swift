import Foundation
import Spate

/// The checksums, logins and cookies from the files that options name, and the programs.
struct OptionFiles: Sendable {
    let checksums: ChecksumList
    private let netrc: Netrc?
    /// The library sends each cookie only to its own hosts.
    let cookies: [DownloadCookie]
    let programs: OptionPrograms

    /// - Throws: why a file can't be read or a program can't be run, or a file's first fault, with its line number.
    init(_ arguments: Arguments) throws(UsageError) {
        checksums = try ChecksumList(files: arguments.checksumLists)
        netrc = if let file = arguments.netrcFile { try Netrc(file) } else { nil }
        cookies = try arguments.cookieFile?.cookies() ?? []
        programs = try OptionPrograms(arguments)
        if arguments.cookies != nil, arguments.headers.contains(where: { $0.name.lowercased() == "cookie" }) {
            throw UsageError(
                .repeatedHeader,
                "--cookies and the header Cookie can't both be sent; leave one of them out"
            )
        }
    }

    /// The request for a URL, with a login if it has none. The library sends a given Authorization header instead of a
    /// login.
    func request(of source: DownloadURL) -> DownloadRequest {
        netrc.flatMap { source.url(with: $0) }.map { DownloadRequest($0) } ?? source.request
    }
}

extension DownloadURL {
    /// The URL with the login of its host. `nil` if it has a password, or if there is no login.
    fileprivate func url(with netrc: Netrc) -> URL? {
        guard url.password == nil, let host = url.host(percentEncoded: false),
            let login = netrc.login(for: host, user: url.user(percentEncoded: false)),
            let text = text(with: login.user, login.password)
        else { return nil }
        return URL(string: text)
    }
}

extension Arguments {
    /// The file of `--netrc-file`, or ~/.netrc for `--netrc`.
    fileprivate var netrcFile: OptionFile? {
        let home = ProcessInfo.processInfo.environment["HOME"] ?? NSHomeDirectory()
        guard let path = netrc ?? (readsNetrc ? "\(home)/.netrc" : nil) else { return nil }
        return OptionFile(
            option: netrc == nil ? "--netrc" : "--netrc-file",
            path: path,
            unreadable: .unreadableNetrc,
            advice: "name a file with lines such as machine HOST login NAME password PASSWORD, with --netrc-file FILE"
        )
    }

    fileprivate var cookieFile: OptionFile? {
        let advice = "name a cookie file in the format of Netscape"
        return cookies.map { OptionFile(option: "--cookies", path: $0, unreadable: .unreadableCookies, advice: advice) }
    }

    /// A copy with the headers from the files of `--header @FILE`.
    func readingHeaderFiles() throws(UsageError) -> Arguments {
        var arguments = self
        for path in headerFiles {
            let file = OptionFile(
                option: "--header",
                path: path,
                unreadable: .unreadableHeaders,
                advice: "name a file with one header a line, after the @"
            )
            try file.forEachLine { (line) throws(UsageError) in
                guard !line[...].trimmingSpaces.isEmpty else { return }
                try HeaderField(line, as: .file).add(to: &arguments.headers, as: .file)
            }
        }
        return arguments
    }
}
