import Spate
import SpateFilePaths

/// The login of an item of a list, while its options are being read: `http-user=` and `http-passwd=`.
struct InputLogin: Sendable {
    fileprivate var user: String?
    fileprivate var password: String?
    /// The URL as it was before it got the login.
    private var given: DownloadURL?

    /// Puts the login into the URL, unless it has one. Mirrors get none: they may be on other hosts.
    fileprivate mutating func apply(to item: inout DownloadItem) throws(UsageError) {
        let source = given ?? item.source
        guard let user, !source.hasCredentials else { return }
        item.source = try source.loggedIn(as: user, password ?? "")
        given = source
    }
}

/// An indented line of an aria2 input file: an option of the URL above it, such as `out=a.iso`.
struct InputOption {
    /// The supported options.
    private enum Name: String, CaseIterable {
        case out, dir, header, checksum, referer
        case userAgent = "user-agent"
        case user = "http-user"
        case password = "http-passwd"
    }

    private let name: String
    private let value: String

    /// `nil` if the line is not an option. An indented URL is none: its scheme is not followed by `=`.
    init?(_ line: String) {
        guard let first = line.utf8.first, first == UInt8(ascii: " ") || first == UInt8(ascii: "\t") else { return nil }
        self.init(unindented: line)
    }

    /// - Parameter line: a line that may lack its indentation.
    init?(unindented line: String) {
        let text = line[...].trimmingSpaces
        guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        name = String(text[..<equals])
        let isName = { (byte: UInt8) in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "-")
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        guard !name.isEmpty, name.utf8.allSatisfy(isName) else { return nil }
        var value = String(text[text.index(after: equals)...])
        // The CR of a CRLF.
        if value.unicodeScalars.last == "\r" { value.unicodeScalars.removeLast() }
        self.value = value[...].trimmingSpaces
    }

    /// Sets the option, or notes that it is not used.
    ///
    /// - Throws: the fault of the option, without a value that may be secret.
    func apply(
        to item: inout DownloadItem,
        _ login: inout InputLogin,
        _ unused: inout UnusedOptions
    ) throws(UsageError) {
        guard let known = Name(rawValue: name) else {
            guard !unused.note(name, value) else { return }
            throw unknown
        }
        guard !value.isEmpty, !value.utf8.contains(0) else {
            throw UsageError(.emptyValue, "\(name)= has an empty value; give it a value or leave it out")
        }
        switch known {
        case .out where value == "-":
            throw UsageError(.fileName, "out=- is not possible; to write a file to standard output: spate -o - URL")
        case .out:
            let path = FilePath(try ProgramOption.output(OptionValue(text: value, option: "out=")))
            let name = path.lastName
            item.settings.fileName = name.text
            item.settings.path = path == name ? nil : path
        case .dir: item.settings.directory = value
        case .header: try add(value, to: &item)
        // The URL itself is meant by an asterisk.
        case .referer: try add("Referer: \(value == "*" ? item.source.shown : value)", to: &item)
        case .userAgent: try add("User-Agent: \(value)", to: &item)
        case .checksum: item.settings.checksum = try checksum()
        case .user:
            login.user = value
            try login.apply(to: &item)
        case .password:
            login.password = value
            try login.apply(to: &item)
        }
    }

    private func add(_ field: String, to item: inout DownloadItem) throws(UsageError) {
        try HeaderField(field, as: .inputOption).add(to: &item.settings.headers, as: .inputOption)
    }

    private var unknown: UsageError {
        let own = Name.allCases.map(\.rawValue)
        let meant = [own, UnusedOptions.known.sorted()].lazy.compactMap { Suggestion.nearest(to: name, among: $0) }
            .first
        let advice = meant.map { "did you mean \($0)=?" } ?? "out=, dir=, header= and checksum= are"
        return UsageError(.inputOption, "\(name)= is not an option of a URL; \(advice)")
    }

    static var belongsToNoURL: UsageError {
        UsageError(.inputOption, "an indented option belongs to the URL above it, and there is none")
    }

    static var isLate: UsageError {
        UsageError(
            .inputOption,
            "the option comes too late: the download of its URL has begun; write a URL and its options at once"
        )
    }

    var isNotIndented: UsageError {
        UsageError(.inputOption, "\(name)= must be indented, as an option of the URL above it")
    }

    /// aria2 writes `sha-256=HEX`.
    private func checksum() throws(UsageError) -> Checksum {
        let parts = value.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            throw UsageError(.checksum, "checksum= can't be used: give ALGORITHM=HEX, such as sha-256=2c26…")
        }
        do throws(DownloadError) {
            return try Checksum("\(parts[0].lowercased().replacing("-", with: "")):\(parts[1])")
        } catch {
            throw UsageError(
                .checksum,
                "checksum= can't be used: give md5, sha-1, sha-256 or sha-512, an equals sign and all digits of the "
                    + "digest, such as sha-256=2c26…"
            )
        }
    }
}
