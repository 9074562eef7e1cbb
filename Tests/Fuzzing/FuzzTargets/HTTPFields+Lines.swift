import HTTPResumption

extension HTTPFields {
    /// The fields of lines as a transport appends them.
    init(_ lines: [ArraySlice<UInt8>]) {
        self.init()
        for line in lines { line.withUnsafeBytes { append(line: $0) } }
    }
}
