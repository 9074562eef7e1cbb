import Glibc
import Spate
import SpateConsole

/// A file of URLs, one per line, as in aria2. Blank lines and spaces around a URL are ignored. `#` starts a comment at
/// the start of a line or after a space. Within a URL it starts the fragment.
///
/// A SHA-256 may follow the URL, after a space, or its mirrors, each after a tab. Indented lines set options of the URL
/// above them, see ``InputOption``.
struct InputFile: Sendable {
    /// The name as typed. `-` means standard input.
    let name: String
    /// Whether its items have their lines.
    var keepsLines = false

    private var isStandardInput: Bool { name == "-" }
    private var shownName: String { isStandardInput ? "standard input" : PlainText.oneLine(name) }

    /// - Throws: why the file can't be read, as far as this is known without opening it.
    func check() throws(UsageError) {
        guard !isStandardInput else { return }
        guard access(name, R_OK) == 0 else { throw Self.unreadable(shownName, errno) }
        if Arguments.isFolder(name) { throw Self.unreadable(shownName, EISDIR) }
    }

    func opened() throws(UsageError) -> InputFileReader {
        // Does not wait for the writer of a pipe.
        let descriptor = isStandardInput ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.unreadable(shownName, errno) }
        return InputFileReader(OpenDescriptor(descriptor), name: shownName, keepsLines: keepsLines)
    }

    static func unreadable(_ name: String, _ code: Int32) -> UsageError {
        let reason =
            switch code {
            case ENOENT where name.contains("://"):
                "--input takes a file, and this is a URL; use curl -s URL | spate --input -"
            case ENOENT: "no such file; check the name and the current folder"
            case EISDIR: "it is a folder; name a file with one URL a line, or - for standard input"
            default: "\(String(cString: strerror(code))); name a file that you may read, or - for standard input"
            }
        return UsageError(.unreadableInput, "can't read --input \(name): \(reason)")
    }

    /// A line without comment, surrounding spaces, the CR of a CRLF, and the byte order mark at the start of a file.
    static func content(of line: String, isFirst: Bool = false) -> String {
        let bytes = line.utf8.span
        var start = 0
        if isFirst, bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { start = 3 }
        while start < bytes.count, isSpace(bytes[start]) { start += 1 }
        var end = start
        while end < bytes.count {
            if bytes[end] == UInt8(ascii: "#"), end == start || isSpace(bytes[end - 1]) { break }
            end += 1
        }
        while end > start, isSpace(bytes[end - 1]) { end -= 1 }
        if start == 0, end == bytes.count { return line }
        return String(Substring(line.utf8.prefix(end).dropFirst(start)))
    }

    /// A line without the CR of a CRLF, and the byte order mark at the start of a file.
    static func unmarked(_ line: String, isFirst: Bool) -> String {
        var scalars = line.unicodeScalars
        if isFirst, scalars.first == "\u{FEFF}" { scalars.removeFirst() }
        if scalars.last == "\r" { scalars.removeLast() }
        return String(scalars)
    }

    /// How the first line begins, after invalid UTF-8 has been replaced.
    static let gzipped: [UInt8] = [0x1F, 0xEF, 0xBF, 0xBD, 0x08]
    /// aria2 compresses a session whose name ends so.
    static var isGzipped: UsageError {
        UsageError(.inputLine, "the list is compressed; give it as gunzip -c FILE.gz | spate --input -")
    }

    /// How a Metalink begins. A file that is one is recognised before; this is a pipe.
    static let metalinkStarts = ["<?xml", "<metalink"]
    static var isMetalink: UsageError {
        UsageError(.inputLine, "the list is a Metalink; give it as --metalink FILE, or --metalink - for standard input")
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0D
    }
}

/// What a list that may still grow has next.
enum ListStep {
    case item(DownloadItem)
    /// Nothing has come in time.
    case nothingYet
    case end
}

/// Reads the items of an open file one by one.
struct InputFileReader: Sendable {
    /// The name of the file in messages.
    let name: String
    /// `nil` after a read error.
    private var lines: LineReader?
    private var number = 0
    /// The last item, and the line of its URL. Options may follow.
    private var item: DownloadItem?
    private var line = 0
    private var login = InputLogin()
    /// The line of the last returned item.
    private var returnedLine = 0
    /// Whether to ignore options, because they belong to an invalid line.
    private var skipsOptions = false
    /// How many options the last item has, and the most that one before it had.
    private var (optionCount, mostOptions) = (0, 0)
    /// Whether the last item was returned because no line had followed it.
    private(set) var isQuiet = false
    /// A writer that pauses for so long after a URL has written its options.
    static let moment = Duration.milliseconds(250)
    private let keepsLines: Bool
    /// What is not used of the options that have been read.
    private(set) var unused = UnusedOptions()

    init(_ descriptor: OpenDescriptor, name: String, keepsLines: Bool = false) {
        (self.name, self.keepsLines) = (name, keepsLines)
        lines = LineReader(descriptor)
    }

    /// The next item. If no line follows it for a moment, it counts as whole, unless the items before it had more
    /// options.
    ///
    /// - Parameter deadline: when to return without an item; `nil` for never.
    /// - Throws: the fault, with the line number. The following call continues after that line. An item with an invalid
    ///   option is skipped.
    mutating func next(until deadline: @autoclosure () -> ContinuousClock.Instant?) throws(UsageError) -> ListStep {
        while true {
            if lines?.hasLine == false {
                let (deadline, now) = (deadline(), ContinuousClock.now)
                let isWhole = item != nil && optionCount >= mostOptions
                let quiet = isWhole ? now + Self.moment : nil
                if let end = [deadline, quiet].compactMap(\.self).min(), lines?.awaitLine(until: end) == false {
                    guard end == quiet, let whole = item.take() else { return .nothingYet }
                    (returnedLine, isQuiet) = (line, true)
                    return .item(whole)
                }
            }
            guard let text = try nextLine() else { break }
            number += 1
            do throws(UsageError) {
                if let complete = try read(text) { return .item(complete) }
            } catch {
                skipsOptions = true
                throw error.found(at: "\(name), line \(number)")
            }
        }
        returnedLine = line
        return item.take().map(ListStep.item) ?? .end
    }

    /// The location of the last returned item.
    var location: String { "\(name), line \(returnedLine)" }

    /// Reads a line. Returns the previous item if this line completes it.
    private mutating func read(_ text: String) throws(UsageError) -> DownloadItem? {
        if let option = InputOption(text) {
            guard !skipsOptions else { return nil }
            guard var changed = item.take() else {
                throw isQuiet ? InputOption.isLate : InputOption.belongsToNoURL
            }
            try checkBytes(of: text)
            try option.apply(to: &changed, &login, &unused)
            changed.lines? += "\n" + InputFile.unmarked(text, isFirst: false)
            optionCount += 1
            item = changed
            return nil
        }
        if number == 1, text.utf8.starts(with: InputFile.gzipped) { throw InputFile.isGzipped }
        let content = InputFile.content(of: text, isFirst: number == 1)
        guard !content.isEmpty else { return nil }
        if content.utf8.first == UInt8(ascii: "<"), InputFile.metalinkStarts.contains(where: content.hasPrefix) {
            throw InputFile.isMetalink
        }
        try checkBytes(of: content)
        var other: DownloadItem? = try Self.item(content)
        if keepsLines { other?.lines = InputFile.unmarked(text, isFirst: number == 1) }
        swap(&item, &other)
        (mostOptions, optionCount, isQuiet) = (max(mostOptions, optionCount), 0, false)
        (returnedLine, line, login, skipsOptions) = (line, number, InputLogin(), false)
        return other
    }

    /// Refuses text of which bytes were replaced: it would be another URL or name. A comment may have any.
    private func checkBytes(of text: String) throws(UsageError) {
        guard lines?.isUTF8 == false, text.unicodeScalars.contains("\u{FFFD}") else { return }
        throw UsageError(.inputLine, "not UTF-8; convert the list first, as with iconv -f latin1 -t utf8 FILE")
    }

    /// `URL`, `URL SHA256`, or URLs of one file with tabs between them.
    private static func item(_ text: String) throws(UsageError) -> DownloadItem {
        guard text.hasByte(where: { $0 == 0x20 || $0 == 0x09 }) else {
            do throws(UsageError) {
                return DownloadItem(source: try DownloadURL(text))
            } catch {
                throw InputOption(unindented: text)?.isNotIndented ?? error
            }
        }
        let places = text.split(separator: "\t").map { $0.trimmingSpaces }
        if places.count > 1, places.dropFirst().contains(where: { $0.contains("://") }) {
            var item = DownloadItem(source: try DownloadURL(places[0]))
            for mirror in places.dropFirst() { item.settings.mirrors.append(try DownloadURL(mirror)) }
            return item
        }
        let space = text.utf8.prefix { $0 != 0x20 && $0 != 0x09 }.endIndex
        let source = try DownloadURL(String(text[..<space]))
        let rest = text[space...].trimmingSpaces
        if let checksum = try? Checksum(.sha256, rest) {
            return DownloadItem(source: source, DownloadItem.Settings(checksum: checksum))
        }
        if rest.contains("://") {
            throw UsageError(.mirrors, "several URLs on a line; give one URL a line, or separate mirrors by tabs")
        }
        throw UsageError(
            .inputLine,
            "there is a space after \(PlainText.quoted(source.shown)), and no SHA-256 of 64 hexadecimal digits follows; "
                + "write a space in a URL as %20"
        )
    }

    private mutating func nextLine() throws(UsageError) -> String? {
        do {
            return try lines?.next()
        } catch {
            switch error {
            case .reading(let code):
                lines = nil
                throw InputFile.unreadable(name, code)
            case .lineTooLong(let isIndented):
                number += 1
                // An option of the item, or else a URL with options of its own.
                if isIndented { item = nil }
                skipsOptions = true
                throw tooLong(number)
            case .noLineEnd:
                lines = nil
                throw tooLong(number + 1, "; the rest of it is not read")
            }
        }
    }

    private func tooLong(_ number: Int, _ end: String = "") -> UsageError {
        UsageError(
            .lineTooLong,
            "\(name), line \(number): longer than \(LineReader.longestLine) bytes; give a file with one URL a line\(end)"
        )
    }
}
