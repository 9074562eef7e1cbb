import Spate
import SpateConsole
import SpateFilePaths

/// The value of an option, as typed on the command line or in a list.
struct OptionValue {
    let text: String
    /// The option as typed: `--jobs`, or `out=` in a list.
    let option: String
    /// Whether errors must not repeat it.
    var isSecret = false

    fileprivate var quoted: String { PlainText.quoted(text) }

    /// The error for a value that the option does not accept.
    fileprivate func refused(_ kind: UsageError.Kind, takes: String, _ advice: String = "") -> UsageError {
        UsageError(kind, "\(option) takes \(takes)\(isSecret ? "" : ", not \(quoted)")\(advice)")
    }

    /// Int() also accepts "+4", and Double() "inf" and "0x1p4".
    fileprivate func hasOnlyDigits(and others: String = "") -> Bool {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) || others.utf8.contains($0) }
    }
}

/// Parsers of values.
extension ProgramOption {
    typealias Reader<Value> = @Sendable (OptionValue) throws(UsageError) -> Value

    static func wholeNumber(in range: ClosedRange<Int>) -> Reader<Int> {
        { (value) throws(UsageError) in
            if value.hasOnlyDigits(), let number = Int(value.text), range.contains(number) { return number }
            throw value.refused(.wholeNumber, takes: "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
    }

    static func seconds(_ value: OptionValue) throws(UsageError) -> Double {
        if value.hasOnlyDigits(and: "."), let seconds = Double(value.text), (0.001...1_000_000).contains(seconds) {
            return seconds
        }
        throw value.refused(.seconds, takes: "a number of seconds, such as 30 or 2.5")
    }

    static func concurrency(_ value: OptionValue) throws(UsageError) -> DownloadConcurrency {
        if value.text == "auto" { return .automatic }
        if let number = try? wholeNumber(in: 1...1000)(value) { return .exactly(number) }
        throw value.refused(.jobs, takes: "a whole number from 1 to 1000, or auto")
    }

    static func connections(_ value: OptionValue) throws(UsageError) -> ConnectionCount {
        if value.text == "auto" { return .automatic }
        if let number = try? wholeNumber(in: 1...32)(value) { return .exactly(number) }
        let takes = "a number from 1 to 32, or auto"
        guard value.text.contains(":") else { throw value.refused(.connections, takes: takes) }
        // Without the value: a proxy may have a password.
        let advice = "; to choose a proxy (curl's -x), give --proxy URL"
        throw UsageError(.connections, "\(value.option) takes \(takes)\(advice)")
    }

    static func size(_ value: OptionValue) throws(UsageError) -> Int64 {
        if let bytes = ByteCount.bytes(in: value.text) { return bytes }
        throw value.refused(
            .size,
            takes:
                "a whole number of bytes, with K, M, G or T for powers of 1024 (500M) or KB, MB, GB or TB for powers "
                + "of 1000 (2GB)"
        )
    }

    static func rate(_ value: OptionValue) throws(UsageError) -> Int64 {
        let bytes = ByteCount.bytes(in: value.text)
        if let bytes, bytes > 0 { return bytes }
        let advice = bytes == 0 ? "; for no limit, leave it out" : ""
        throw value.refused(.rate, takes: "bytes per second, such as 500K or 2M", advice)
    }

    static func shard(_ value: OptionValue) throws(UsageError) -> DownloadShard {
        if let shard = DownloadShard(value.text) { return shard }
        throw value.refused(.shard, takes: "a part and how many there are, such as 3/64")
    }

    static func proxy(_ value: OptionValue) throws(UsageError) -> DownloadProxy {
        if value.text == "none" { return .direct }
        do throws(DownloadError) {
            return try DownloadProxy(value.text)
        } catch {
            // Without the value: it may have a password.
            throw UsageError(.proxy, "\(value.option): \(error.message)")
        }
    }

    static func progress(_ value: OptionValue) throws(UsageError) -> ProgressMode {
        if let mode = ProgressMode(rawValue: value.text) { return mode }
        throw value.refused(.progress, takes: "auto, bar, plain or none")
    }

    static func naming(_ value: OptionValue) throws(UsageError) -> DownloadNaming {
        switch value.text {
        case "url": return .url
        case "server": return .server
        case "auto": return .automatic
        default: throw value.refused(.naming, takes: "url, server or auto")
        }
    }

    static func checksum(_ value: OptionValue) throws(UsageError) -> Checksum {
        do throws(DownloadError) {
            return try Checksum(value.text)
        } catch {
            throw UsageError(.checksum, "\(value.option) can't be used: \(error.message)")
        }
    }

    /// The path after an @; `nil` if the value is a header.
    static func headerFile(_ value: OptionValue) throws(UsageError) -> String? {
        guard value.text != "@" else {
            throw UsageError(.emptyValue, "\(value.option) @ names no file; write it as \(value.option) @FILE")
        }
        return value.text.hasPrefix("@") ? String(value.text.dropFirst()) : nil
    }

    /// A file name or the path of a file. `-` means standard output.
    static func output(_ value: OptionValue) throws(UsageError) -> String {
        let path = FilePath(value.text)
        let name = path.lastName
        guard value.text != "-", name != path else { return try fileName(value) }
        guard name != "" else {
            throw UsageError(
                .fileName,
                "\(value.option) \(value.quoted) names a folder; to put the file into it, give "
                    + "\(value.option.hasSuffix("=") ? "dir=" : "--directory ")\(PlainText.shownWord(value.text))"
            )
        }
        _ = try fileName(OptionValue(text: name.text, option: value.option))
        return value.text
    }

    /// The name must be a valid file name, even with the suffix of a partial file.
    static func fileName(_ value: OptionValue) throws(UsageError) -> String {
        let text = value.text
        let isControl = { (scalar: Unicode.Scalar) in scalar.properties.generalCategory == .control }
        try UsageError.refuse([
            (
                text == "." || text == ".." || text.unicodeScalars.contains(where: isControl), .fileName,
                "\(value.option) \(value.quoted) is not a valid file name; choose another"
            ),
            (text.utf8.count > 230, .fileName, "\(value.option) is longer than 230 bytes; choose a shorter name"),
            (
                text.lowercased().utf8.suffix(5).elementsEqual(".part".utf8), .fileName,
                "\(value.option) \(value.quoted) ends like a partial file; choose a name without .part"
            ),
        ])
        return text
    }
}
