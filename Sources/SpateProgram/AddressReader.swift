/// Reads the URLs of an open file, one after the other.
struct AddressReader: Sendable {
    /// What messages call the file.
    private let name: String
    /// Nothing more comes of a file that can't be read on.
    private var lines: LineReader?
    private var number = 0

    init(_ descriptor: OpenDescriptor, name: String) {
        self.name = name
        lines = LineReader(descriptor)
    }

    /// The next URL; `nil` after the last one.
    ///
    /// - Throws: what is wrong, with the number of the line; the call after that goes on behind it.
    mutating func next() throws(UsageError) -> Address? {
        while let line = try nextLine() {
            number += 1
            let text = InputFile.content(of: line, isFirst: number == 1)
            guard !text.isEmpty else { continue }
            do {
                return try Address(text)
            } catch {
                throw error.found(at: "\(name), line \(number)")
            }
        }
        return nil
    }

    private mutating func nextLine() throws(UsageError) -> String? {
        do {
            return try lines?.next()
        } catch {
            lines = nil
            switch error {
            case .reading(let code): throw InputFile.unreadable(name, code)
            case .lineTooLong:
                throw UsageError(
                    .lineTooLong,
                    "\(name), line \(number + 1): longer than \(LineReader.longestLine) bytes; "
                        + "the file must hold one URL a line"
                )
            }
        }
    }
}
