import Spate

/// A parsed command line. Everything is checked that can be checked without looking at the disk.
struct Arguments: Equatable {
    var command = Command.get
    /// The help page to show. `nil` means the overview.
    var helpTopic: HelpTopic?
    /// `nil` means the current folder.
    var directory: String?
    var output: String?
    /// Files with URLs. `-` means standard input.
    var inputs: [String] = []
    /// The part of the input files that is fetched.
    var shard: DownloadShard?
    var jobs = 3
    var connections = ConnectionCount.automatic
    /// `nil` for no limit.
    var maximumPerHost: Int?
    /// In bytes per second, for all downloads together.
    var rateLimit: Int64?
    var retries = 5
    /// In seconds.
    var timeout = 30.0
    var headers: [HeaderField] = []
    /// Files with headers.
    var headerFiles: [String] = []
    /// Whether logins are read from ~/.netrc.
    var readsNetrc = false
    /// A file to read in place of ~/.netrc.
    var netrc: String?
    /// A file of cookies.
    var cookies: String?
    var maximumSize: Int64?
    /// That of the only file.
    var checksum: Checksum?
    /// Files such as SHA256SUMS.
    var checksumLists: [String] = []
    /// Other places of the only file.
    var mirrors: [DownloadURL] = []
    var authorities: String?
    var overwrites = false
    /// Whether the server is asked if finished files have changed.
    var updates = false
    /// Whether any file of the name is good enough.
    var skipsExisting = false
    /// Whether files get the server's time.
    var keepsServerTime = false
    var writesJSON = false
    var progress = ProgressMode.automatic
    /// The file to which all events are appended.
    var log: String?
    var isQuiet = false
    /// Whether keys are read during the run, if there is a terminal.
    var readsKeys = true
    /// Whether the demo only serves its files.
    var serves = false
    /// Whose completions are printed.
    var shell = Shell.bash
    /// The URLs as they were typed.
    var urls: [String] = []
}

extension Arguments {
    /// Sets an option that takes no value.
    mutating func setFlag(_ option: ProgramOption) {
        switch option {
        case .overwrite: overwrites = true
        case .update: updates = true
        case .skipExisting: skipsExisting = true
        case .remoteTime: keepsServerTime = true
        case .json: writesJSON = true
        case .netrc: readsNetrc = true
        case .serve: serves = true
        case .noKeys: readsKeys = false
        case .quiet: isQuiet = true
        default: break
        }
    }

    /// Sets an option that takes a value. If it is given twice, the last value wins, except for options that may be repeated.
    mutating func setValue(_ value: String, of option: ProgramOption) throws(UsageError) {
        guard !value.isEmpty, !value.utf8.contains(0) else {
            throw UsageError(
                .emptyValue,
                "\(option.longForm) has an empty value; give it a value (\(option.value?.name ?? "")) or leave it out"
            )
        }
        switch option {
        case .directory: directory = value
        case .output: output = try Self.fileName(value, of: "--output", folderOption: "--directory")
        case .input: inputs.append(value)
        case .jobs: jobs = try Self.wholeNumber(value, of: option, in: 1...1000)
        case .connections: connections = try Self.connections(value, of: option)
        case .maximumPerHost: maximumPerHost = try Self.wholeNumber(value, of: option, in: 1...1000)
        case .rateLimit: rateLimit = try Self.rate(value, of: option)
        case .retries: retries = try Self.wholeNumber(value, of: option, in: 0...1_000_000)
        case .timeout: timeout = try Self.seconds(value, of: option)
        case .header:
            if value.hasPrefix("@") {
                headerFiles.append(try Self.headerFile(value))
            } else {
                try HeaderField(value).add(to: &headers)
            }
        case .netrcFile: netrc = value
        case .cookies: cookies = value
        case .progress: progress = try Self.progress(value)
        case .log: log = value
        case .shard: shard = try Self.shard(value)
        case .maximumSize: maximumSize = try Self.size(value, of: option)
        case .checksum: checksum = try Self.checksum(value)
        case .checksumLists: checksumLists.append(value)
        case .mirror: mirrors.append(try DownloadURL(value))
        case .authorities: authorities = value
        case .netrc, .noKeys, .overwrite, .update, .skipExisting, .remoteTime, .json, .serve, .quiet, .help, .version:
            setFlag(option)
        }
    }

    private static func headerFile(_ value: String) throws(UsageError) -> String {
        guard value != "@" else {
            throw UsageError(.emptyValue, "--header @ names no file; write it as --header @FILE")
        }
        return String(value.dropFirst())
    }

    private static func progress(_ text: String) throws(UsageError) -> ProgressMode {
        guard let mode = ProgressMode(rawValue: text) else {
            throw UsageError(.progress, "--progress takes auto, bar, plain or none, not \(PlainText.quoted(text))")
        }
        return mode
    }

    private static func connections(_ text: String, of option: ProgramOption) throws(UsageError) -> ConnectionCount {
        if text == "auto" { return .automatic }
        if let number = try? wholeNumber(text, of: option, in: 1...32) { return .exactly(number) }
        let proxy = text.contains(":") ? "; a proxy (curl's -x) is set in the environment: https_proxy=http://HOST" : ""
        throw UsageError(
            .connections,
            "\(option.longForm) takes a number from 1 to 32, or auto, not \(PlainText.quoted(text))\(proxy)"
        )
    }

    private static func wholeNumber(
        _ text: String,
        of option: ProgramOption,
        in range: ClosedRange<Int>
    ) throws(UsageError) -> Int {
        // Int() also reads "+4".
        if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text), range.contains(number) {
            return number
        }
        let bounds = "from \(range.lowerBound) to \(range.upperBound)"
        throw UsageError(
            .wholeNumber,
            "\(option.longForm) takes a whole number \(bounds), not \(PlainText.quoted(text))"
        )
    }

    private static func size(_ text: String, of option: ProgramOption) throws(UsageError) -> Int64 {
        guard let bytes = ByteCount.bytes(in: text) else {
            throw UsageError(
                .size,
                "\(option.longForm) takes a whole number of bytes, with K, M, G or T for powers of 1024 (500M) "
                    + "or KB, MB, GB or TB for powers of 1000 (2GB), not \(PlainText.quoted(text))"
            )
        }
        return bytes
    }

    private static func rate(_ text: String, of option: ProgramOption) throws(UsageError) -> Int64 {
        if let bytes = ByteCount.bytes(in: text), bytes > 0 { return bytes }
        let advice = ByteCount.bytes(in: text) == 0 ? "; for no limit, leave it out" : ""
        throw UsageError(
            .rate,
            "\(option.longForm) takes bytes per second, such as 500K or 2M, not \(PlainText.quoted(text))\(advice)"
        )
    }

    private static func shard(_ text: String) throws(UsageError) -> DownloadShard {
        if let shard = DownloadShard(text) { return shard }
        throw UsageError(
            .shard,
            "--shard takes a part and how many there are, such as 3/64, not \(PlainText.quoted(text))"
        )
    }

    private static func checksum(_ text: String) throws(UsageError) -> Checksum {
        do throws(DownloadError) {
            return try Checksum(text)
        } catch {
            throw UsageError(.checksum, "--checksum can't be used: \(error.message)")
        }
    }

    private static func seconds(_ text: String, of option: ProgramOption) throws(UsageError) -> Double {
        // Double() also reads "inf", "nan" and "0x1p4".
        if text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }), let seconds = Double(text),
            (0.001...1_000_000).contains(seconds)
        {
            return seconds
        }
        throw UsageError(
            .seconds,
            "\(option.longForm) takes a number of seconds, such as 30 or 2.5, not \(PlainText.quoted(text))"
        )
    }

    /// The name must be a valid file name, also with the suffix of a partial file.
    ///
    /// - Parameters:
    ///   - option: the option that gave it, as it is typed.
    ///   - folderOption: the option that would give its folder.
    static func fileName(_ text: String, of option: String, folderOption: String) throws(UsageError) -> String {
        guard text != "-" else {
            throw UsageError(
                .fileName,
                "\(option) - is not possible, because only a file can be continued; to print the content: "
                    + "spate -o NAME URL && cat NAME"
            )
        }
        if let slash = text.lastIndex(of: "/") {
            let folder = slash == text.startIndex ? text[...slash] : text[..<slash]
            let name = text[text.index(after: slash)...]
            // An option of a list has its value directly after it.
            let (space, next) = option.hasSuffix("=") ? ("", " and ") : (" ", " ")
            let example =
                name.isEmpty
                ? "" : ", as in \(folderOption)\(space)\(shell(folder))\(next)\(option)\(space)\(shell(name))"
            throw UsageError(
                .fileName,
                "\(option) takes a name, not a path; give the folder with \(folderOption)\(example)"
            )
        }
        let isControl = { (scalar: Unicode.Scalar) in scalar.properties.generalCategory == .control }
        guard text != ".", text != "..", !text.unicodeScalars.contains(where: isControl) else {
            throw UsageError(.fileName, "\(option) \(PlainText.quoted(text)) is not a valid file name; choose another")
        }
        guard text.utf8.count <= 230 else {
            throw UsageError(.fileName, "\(option) is longer than 230 bytes; choose a shorter name")
        }
        guard !text.lowercased().hasSuffix(".part") else {
            throw UsageError(
                .fileName,
                "\(option) \(PlainText.quoted(text)) ends like a partial file; choose a name without .part"
            )
        }
        return text
    }

    private static func shell(_ text: Substring) -> String {
        PlainText.shellWord(PlainText.oneLine(String(text)))
    }
}
