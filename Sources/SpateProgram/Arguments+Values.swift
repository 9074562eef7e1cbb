extension Arguments {
    /// Sets an option that takes no value.
    mutating func setFlag(_ option: ProgramOption) {
        switch option {
        case .overwrite: overwrites = true
        case .json: writesJSON = true
        case .serve: serves = true
        case .noKeys: readsKeys = false
        case .quiet: isQuiet = true
        default: break
        }
    }

    /// Sets an option that takes a value; given twice, the last one counts, but for those that may be repeated.
    mutating func setValue(_ value: String, of option: ProgramOption) throws(UsageError) {
        guard !value.isEmpty, !value.utf8.contains(0) else {
            throw UsageError(
                .emptyValue,
                "\(option.longForm) was given an empty value; give it one (\(option.valueName ?? "")) or leave it out"
            )
        }
        switch option {
        case .directory: directory = value
        case .output: output = try Self.fileName(value)
        case .input: inputs.append(value)
        case .jobs: jobs = try Self.wholeNumber(value, of: option, in: 1...1000)
        case .retries: retries = try Self.wholeNumber(value, of: option, in: 0...1_000_000)
        case .timeout: timeout = try Self.seconds(value, of: option)
        case .header: try addHeader(value)
        case .maximumSize: maximumSize = try Self.size(value, of: option)
        case .authorities: authorities = value
        case .noKeys, .overwrite, .json, .serve, .quiet, .help, .version: setFlag(option)
        }
    }

    private mutating func addHeader(_ text: String) throws(UsageError) {
        let field = try HeaderField(text)
        guard !headers.contains(where: { $0.name.lowercased() == field.name.lowercased() }) else {
            throw UsageError(
                .repeatedHeader,
                "--header \(field.name) is given twice; give it once, with both values in it"
            )
        }
        headers.append(field)
    }

    private static func wholeNumber(
        _ text: String,
        of option: ProgramOption,
        in range: ClosedRange<Int>
    ) throws(UsageError) -> Int {
        // Int("+4") is 4, and nobody means that.
        if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text), range.contains(number) {
            return number
        }
        let bounds = "from \(range.lowerBound) to \(range.upperBound)"
        throw UsageError(.wholeNumber, "\(option.longForm) takes a whole number \(bounds), not \(Address.quoted(text))")
    }

    private static func size(_ text: String, of option: ProgramOption) throws(UsageError) -> Int64 {
        guard let bytes = ByteCount.bytes(in: text) else {
            throw UsageError(
                .size,
                "\(option.longForm) takes a whole number of bytes, with K, M, G or T after it for steps of 1024 "
                    + "(500M), or KB, MB, GB or TB for steps of 1000 (2GB), not \(Address.quoted(text))"
            )
        }
        return bytes
    }

    private static func seconds(_ text: String, of option: ProgramOption) throws(UsageError) -> Double {
        // Double() reads "inf", "nan" and "0x1p4" too.
        if text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }), let seconds = Double(text),
            (0.001...1_000_000).contains(seconds)
        {
            return seconds
        }
        throw UsageError(
            .seconds,
            "\(option.longForm) takes a number of seconds, such as 30 or 2.5, not \(Address.quoted(text))"
        )
    }

    /// The name must be one that can stand in a folder, with the suffix of a partial file after it.
    private static func fileName(_ text: String) throws(UsageError) -> String {
        if let slash = text.lastIndex(of: "/") {
            let folder = slash == text.startIndex ? text[...slash] : text[..<slash]
            let name = text[text.index(after: slash)...]
            let example = name.isEmpty ? "" : ", as in --directory \(shell(folder)) --output \(shell(name))"
            throw UsageError(.fileName, "--output takes a name, not a path; the folder goes to --directory\(example)")
        }
        let isControl = { (scalar: Unicode.Scalar) in scalar.properties.generalCategory == .control }
        guard text != ".", text != "..", !text.unicodeScalars.contains(where: isControl) else {
            throw UsageError(.fileName, "--output \(Address.quoted(text)) can't be the name of a file; choose another")
        }
        guard text.utf8.count <= 230 else {
            throw UsageError(.fileName, "--output is longer than 230 bytes; choose a shorter name")
        }
        guard !text.lowercased().hasSuffix(".part") else {
            throw UsageError(
                .fileName,
                "--output \(Address.quoted(text)) ends like a file that is not whole; choose a name without .part"
            )
        }
        return text
    }

    private static func shell(_ text: Substring) -> String {
        PlainText.shellWord(Address.oneLine(String(text)))
    }
}
