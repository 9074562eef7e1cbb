/// The header fields of a request, in the order in which they came. Names are compared without regard to case.
package struct ReceivedFields: Sendable, CustomStringConvertible {
    package private(set) var all: [(name: String, value: String)] = []

    /// The first value of a field.
    package subscript(name: String) -> String? {
        all.first { $0.name.isSameFieldName(as: name) }?.value
    }

    /// Every value of a field that came more than once.
    package func values(of name: String) -> [String] {
        all.filter { $0.name.isSameFieldName(as: name) }.map(\.value)
    }

    mutating func append(name: String, value: String) {
        all.append((name, value))
    }

    package var description: String {
        all.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    }
}

extension String {
    func isSameFieldName(as other: String) -> Bool {
        utf8.count == other.utf8.count && lowercased() == other.lowercased()
    }
}
