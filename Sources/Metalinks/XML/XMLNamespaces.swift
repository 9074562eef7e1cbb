import SpateHTTPSyntax

/// The namespaces that are declared at one point of a document (Namespaces in XML 1.0).
struct XMLNamespaces {
    private struct Declaration {
        let prefix: String
        let name: String
        let depth: Int
    }

    private static let xml = "http://www.w3.org/XML/1998/namespace"
    private static let xmlns = "http://www.w3.org/2000/xmlns/"

    /// The innermost is last.
    private var declarations = [
        Declaration(prefix: "", name: "", depth: 0), Declaration(prefix: "xml", name: xml, depth: 0),
    ]

    /// Without the two that need no declaration.
    var count: Int { declarations.count - 2 }

    /// Declares the namespace of a prefix, or without a prefix the default, for an element of this depth.
    ///
    /// - Returns: whether it can be declared.
    mutating func declare(_ prefix: String, _ name: String, depth: Int) -> Bool {
        let isReserved = prefix == "xmlns" || name == Self.xmlns || (prefix == "xml") != (name == Self.xml)
        guard !isReserved, prefix.isEmpty || !name.isEmpty else { return false }
        declarations.append(Declaration(prefix: prefix, name: name, depth: depth))
        return true
    }

    /// Forgets what the element of this depth declared.
    mutating func leave(depth: Int) {
        while let last = declarations.last, last.depth >= depth { declarations.removeLast() }
    }

    /// The namespace of a prefix; `nil` if there is none.
    func name(of prefix: String) -> String? {
        // Equal strings may have different bytes.
        declarations.last { $0.prefix.utf8.span.isSame(as: prefix.utf8.span) }?.name
    }
}
