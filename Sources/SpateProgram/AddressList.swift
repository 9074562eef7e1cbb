/// The URLs of the command line and of the input files, in their order and each once, read as they are wanted.
struct AddressList: Sendable {
    private var words: ArraySlice<String>
    private var files: ArraySlice<InputFile>
    private var reader: AddressReader?
    private var keys: Set<String> = []

    /// Whether every URL has been handed out.
    private(set) var isAtEnd = false

    /// - Throws: what is wrong with an input file, as far as that can be told without opening it.
    init(_ arguments: Arguments) throws(UsageError) {
        words = arguments.urls[...]
        files = arguments.inputs.map { InputFile(name: $0) }[...]
        // Not opened here: what writes into several pipes may do so one after the other.
        for file in files { try file.check() }
    }

    /// The next URL; `nil` after the last one.
    ///
    /// - Throws: what is wrong with the next line; the call after that goes on behind it.
    mutating func next() throws(UsageError) -> Address? {
        while let address = try nextOfAll() {
            if keys.insert(address.key).inserted { return address }
        }
        isAtEnd = true
        return nil
    }

    /// As many of the next URLs, or all that are left.
    mutating func next(_ count: Int) throws(UsageError) -> [Address] {
        var addresses: [Address] = []
        while addresses.count < count, let address = try next() { addresses.append(address) }
        return addresses
    }

    private mutating func nextOfAll() throws(UsageError) -> Address? {
        if let word = words.popFirst() { return try address(word) }
        while true {
            if let address = try reader?.next() { return address }
            guard let file = files.popFirst() else { return nil }
            reader = try file.opened()
        }
    }

    private func address(_ word: String) throws(UsageError) -> Address {
        do {
            return try Address(word)
        } catch {
            throw StrayWord.fault(of: word) ?? error
        }
    }
}
