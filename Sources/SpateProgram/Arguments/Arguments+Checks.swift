import Foundation
import Glibc
import Spate
import SpateConsole

/// Checks that command, options and URLs fit together.
extension Arguments {
    func checkCombination() throws(UsageError) {
        if let stray = given.map(\.option).first(where: { !command.options.contains($0) }) {
            throw UsageError(
                .optionOfAnotherCommand,
                "spate \(command.rawValue) takes no \(stray.longForm); it takes \(Self.words(for: command))"
            )
        }
        let hasURLs = !urls.isEmpty || !inputs.isEmpty || !metalinks.isEmpty
        switch command {
        case .get where !hasURLs:
            throw UsageError(.missingURL, "give at least one URL, or a file of URLs with --input FILE")
        case .repair where !hasURLs:
            throw UsageError(
                .missingURL,
                "spate repair needs the file to repair, its URL, or its Metalink with --metalink FILE"
            )
        case .delete where !hasURLs:
            throw UsageError(
                .missingURL,
                "spate delete needs the URLs of the files to remove, or a file of URLs with --input FILE; "
                    + "spate status shows them"
            )
        case .status, .resume, .verify, .demo: try checkNoURLs()
        case .get, .repair, .delete, .completions, .help, .version: break
        }
        if writesContent { try checkContent(given.map(\.option)) }
        try UsageError.refuse([
            (
                isQuiet && (progress == .bar || progress == .plain), .quietProgress,
                "--quiet and --progress \(progress.rawValue) contradict each other; leave one of them out"
            ),
            (
                failed == "-" && writesJSON, .failedOutput,
                "--json and --failed - both write to standard output; name a file with --failed FILE"
            ),
            (
                skipsExisting && (updates || overwrites), .existingFiles,
                "--skip-existing and --\(updates ? "update" : "overwrite") contradict each other; leave one of them out"
            ),
            (
                certificateKey != nil && certificate == nil, .keyWithoutCertificate,
                "--key is the key of a certificate; give that, too, with --cert FILE"
            ),
            (
                isPublicOnly && ![.environment, .direct].contains(proxy), .publicOnlyProxy,
                "--public-only and --proxy contradict each other, since a proxy connects where it wants; "
                    + "leave one of them out"
            ),
            (
                refreshesOnlyRetries && refreshCommand == nil, .refreshOnRetry,
                "--refresh-on-retry needs a program to ask; give --refresh-command PROGRAM, too"
            ),
        ])
        if Set(urls).count > 1 { try checkForOneFile(urls.count) }
    }

    /// Standard output takes only the content, and no file stays.
    private func checkContent(_ used: [ProgramOption]) throws(UsageError) {
        if failed == "-" || writesJSON {
            let (other, advice) =
                writesJSON ? ("--json", "give --log FILE") : ("--failed -", "name a file with --failed FILE")
            throw UsageError(
                .contentOutput,
                "\(other) and --output - both write to standard output; \(advice)"
            )
        }
        let ofFiles = [
            "directory", "url-folders", "cut-dirs", "names", "overwrite", "update", "skip-existing", "remote-time",
            "on-finish",
        ]
        guard let option = used.first(where: { ofFiles.contains($0.name) }) else { return }
        let advice = option.name == "directory" ? "; it is fetched into a folder of TMPDIR first" : ""
        throw UsageError(
            .contentOutput,
            "--output - leaves no file; leave out \(option.longForm)\(advice)"
        )
    }

    /// Whether an option is for exactly one file.
    var isForOneFile: Bool { repairSource != nil || output != nil || !mirrors.isEmpty || checksum != nil }

    /// `--output`, `--checksum`, `--mirror` and `--from` are for exactly one file.
    func checkForOneFile(_ count: Int) throws(UsageError) {
        guard count > 1 else { return }
        try UsageError.refuse([
            (
                repairSource != nil, .oneSourceForMany,
                "--from is for one file, but there are several; repair one at a time"
            ),
            (
                writesContent, .oneNameForMany,
                "--output - writes one file, but there are several URLs; run spate for one after the other"
            ),
            (
                output != nil, .oneNameForMany,
                "--output names one file, but there are several URLs; to choose their folder, give --directory DIR"
            ),
            (
                !mirrors.isEmpty, .oneMirrorForMany,
                "--mirror is for one file, but there are several URLs; in a list for --input, give the mirrors of each "
                    + "URL after it, separated by tabs"
            ),
            (
                checksum != nil, .oneChecksumForMany,
                "--checksum is for one file, but there are several URLs; to check them, give --checksums FILE"
            ),
        ])
    }

    private func checkNoURLs() throws(UsageError) {
        guard let word = urls.first else { return }
        let reason =
            switch command {
            case .demo: "it starts its own server; to fetch \(PlainText.quoted(word)), leave out the word demo"
            case _ where word.contains("://"): "it works on a whole folder; to continue one URL: spate URL"
            default:
                "it works on a whole folder; to choose one: spate \(command.rawValue) -d \(PlainText.shownWord(word))"
            }
        throw UsageError(.unexpectedURL, "spate \(command.rawValue) takes no URL: \(reason)")
    }

    private static func words(for command: Command) -> String {
        switch command {
        case .resume:
            let others = Command.get.options.filter { !command.options.contains($0) }
            return "the options of spate get except \(ProgramOption.list(others))"
        case .verify: return "--online, --repair, and for these the options of spate get that requests need"
        case .demo, .completions: return "only \(ProgramOption.list(command.offeredOptions))"
        default: return ProgramOption.list(command.options)
        }
    }
}

/// Read-only checks of the disk, before anything starts.
extension Arguments {
    /// The items of the command line and of the input files, without duplicates.
    func allItems() throws(UsageError) -> [DownloadItem] {
        var list = try URLList(withMetalinksApart)
        return try list.next(.max)
    }

    /// The folder must exist, or it must be possible to create it.
    func checkFolderCanBeMade() throws(UsageError) {
        guard let fault = Self.whyNotMade(folder.path) else { return }
        let what = fault.kind == .folderIsFile ? "is not a folder" : "can't be created"
        throw UsageError(
            fault.kind,
            "--directory \(PlainText.quoted(directory ?? ".")) \(what): \(fault.reason); choose another"
        )
    }

    /// Why a folder does not exist and can't be created. `nil` if it does or can.
    static func whyNotMade(_ folder: String) -> (kind: UsageError.Kind, reason: String)? {
        var path = folder
        if isFolder(path) { return nil }
        while access(path, F_OK) != 0, errno == ENOENT || errno == ENOTDIR, path != "/" {
            path = (path as NSString).deletingLastPathComponent
        }
        if !isFolder(path) {
            guard access(path, F_OK) != 0 else { return (.folderIsFile, "\(PlainText.oneLine(path)) is a file") }
            return (.folderCannotBeMade, String(cString: strerror(errno)))
        }
        guard access(path, W_OK | X_OK) != 0 else { return nil }
        return (.folderCannotBeMade, "\(String(cString: strerror(errno))) in \(PlainText.oneLine(path))")
    }

    /// The folder must exist.
    func checkFolderExists() throws(UsageError) {
        guard Self.isFolder(folder.path) else {
            throw UsageError(
                .folderMissing,
                "there is no folder \(PlainText.quoted(directory ?? ".")); name the folder of your downloads with "
                    + "--directory DIR"
            )
        }
    }

    /// The files of certificates and of the key must be readable.
    func checkCertificates() throws(UsageError) {
        let files = [
            ("--cacert", authorities, "a file of certificates"),
            ("--cert", certificate, "the file of your certificate"),
            ("--key", certificateKey, "the file of your private key"),
        ]
        for case (let option, let path?, let what) in files {
            guard let reason = Self.reasonAgainst(path) else { continue }
            // What follows is a password, to curl.
            if option == "--cert", let colon = path.firstIndex(of: ":") {
                throw UsageError(
                    .unreadableCertificates,
                    "can't read the --cert that begins with \(PlainText.quoted(String(path[..<colon]))): \(reason); no "
                        + "password may follow the file: use a key without one, as from openssl pkey"
                )
            }
            throw UsageError(
                .unreadableCertificates,
                "can't read \(option) \(PlainText.quoted(path)): \(reason); name \(what) in PEM format"
            )
        }
    }

    /// Why a file can't be read; `nil` if it can.
    private static func reasonAgainst(_ path: String) -> String? {
        if access(path, R_OK) != 0 { return String(cString: strerror(errno)) }
        return isFolder(path) ? "it is a folder" : nil
    }

    static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
