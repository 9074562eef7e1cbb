/// Reads an XML 1.0 document with namespaces, from start to end. Strict, and without a document type, so that a
/// document can neither refer to others nor grow when it is read.
///
/// Comments and processing instructions are skipped.
package struct XMLReader {
    private var scanner: XMLScanner
    private let limits: XMLLimits
    private var namespaces = XMLNamespaces()
    /// Where the names of the elements are that have not ended.
    private var openNames: [Range<Int>] = []
    private var elementCount = 0
    /// Since the last tag.
    private var textLength = 0
    /// Whether the element that started last ends with its start tag.
    private var endsAtOnce = false

    /// Throws if the document is too long, or has bytes that no document of this encoding has.
    package init(_ document: [UInt8], limits: XMLLimits = XMLLimits()) throws(XMLError) {
        guard document.count <= limits.documentLength else { throw XMLError(fault: .tooLong, line: 1) }
        self.limits = limits
        scanner = XMLScanner(document)
        try scanner.skipDeclaration()
        try scanner.checkCharacters()
    }

    /// The line that is read next.
    package var line: Int { scanner.line }

    /// `nil` at the end of the document. After an error, don't go on.
    package mutating func next() throws(XMLError) -> XMLEvent? {
        if endsAtOnce {
            endsAtOnce = false
            leaveElement()
            return .end
        }
        while let byte = scanner.peek {
            if byte != UInt8(ascii: "<") {
                if let text = try text() { return .text(text) }
            } else if scanner.take("<!--") {
                try skipComment()
            } else if scanner.take("<![CDATA[") {
                if let text = try section() { return .text(text) }
            } else if scanner.take("<?") {
                try scanner.skipInstruction()
            } else if scanner.take("</") {
                try readEndTag()
                return .end
            } else if scanner.continues(with: "<!DOCTYPE") {
                throw scanner.error(.documentType)
            } else if scanner.continues(with: "<!") {
                throw scanner.error(.malformedMarkup)
            } else {
                return .start(try startTag())
            }
        }
        guard openNames.isEmpty, elementCount > 0 else { throw scanner.error(.unexpectedEnd) }
        return nil
    }

    /// Skips what remains of the element that started last and has not ended.
    package mutating func skipElement() throws(XMLError) {
        let depth = openNames.count
        while openNames.count >= depth, try next() != nil {}
    }

    private mutating func text() throws(XMLError) -> ArraySlice<UInt8>? {
        let start = scanner.index
        let run = try scanner.textRun()
        guard !openNames.isEmpty else {
            guard scanner.bytes[run.range].allSatisfy(\.isXMLSpace) else {
                throw scanner.error(.contentOutsideRoot, at: start)
            }
            return nil
        }
        try count(run.range)
        return run.isPlain ? scanner.bytes[run.range] : try scanner.decoded(run.range)[...]
    }

    private mutating func section() throws(XMLError) -> ArraySlice<UInt8>? {
        guard !openNames.isEmpty else { throw scanner.error(.contentOutsideRoot) }
        let range = try scanner.range(before: "]]>")
        try count(range)
        let text = scanner.bytes[range]
        if text.isEmpty { return nil }
        return text.contains(0x0D) ? try scanner.decoded(range, hasReferences: false)[...] : text
    }

    private mutating func count(_ text: Range<Int>) throws(XMLError) {
        textLength += text.count
        guard textLength <= limits.textLength else { throw scanner.error(.textTooLong, at: text.lowerBound) }
    }

    private mutating func skipComment() throws(XMLError) {
        _ = try scanner.range(before: "--")
        guard scanner.take(">") else { throw scanner.error(.malformedMarkup) }
    }

    private mutating func leaveElement() {
        namespaces.leave(depth: openNames.count)
        openNames.removeLast()
        textLength = 0
    }

    private mutating func readEndTag() throws(XMLError) {
        let start = scanner.index
        let name = try qualifiedName()
        _ = scanner.skipSpace()
        guard let open = openNames.last else { throw scanner.error(.contentOutsideRoot, at: start) }
        guard scanner.bytes[open] == scanner.bytes[name.range] else {
            throw scanner.error(.mismatchedTag(scanner.text(open)), at: start)
        }
        guard scanner.take(">") else { throw scanner.error(scanner.peek == nil ? .unexpectedEnd : .malformedTag) }
        leaveElement()
    }

    private mutating func startTag() throws(XMLError) -> XMLElement {
        let start = scanner.index
        guard !openNames.isEmpty || elementCount == 0 else { throw scanner.error(.contentOutsideRoot) }
        _ = scanner.take("<")
        let name = try qualifiedName()
        guard openNames.count < limits.depth else { throw scanner.error(.tooDeep, at: start) }
        guard elementCount < limits.elements else { throw scanner.error(.tooManyElements, at: start) }
        openNames.append(name.range)
        elementCount += 1
        textLength = 0

        var attributes: [(name: QualifiedName, value: String)] = []
        while !scanner.take(">") {
            let isSeparate = scanner.skipSpace()
            if scanner.take("/>") {
                endsAtOnce = true
                break
            }
            guard let next = scanner.peek else { throw scanner.error(.unexpectedEnd) }
            if next == UInt8(ascii: ">") { continue }
            guard isSeparate else { throw scanner.error(.malformedTag) }
            guard attributes.count < limits.attributes else { throw scanner.error(.tooManyAttributes) }
            let (begin, name) = (scanner.index, try qualifiedName())
            let value = try scanner.attributeValue(maximumLength: limits.textLength)
            guard !attributes.contains(where: { scanner.bytes[$0.name.range] == scanner.bytes[name.range] }) else {
                throw scanner.error(.duplicateAttribute(scanner.text(name.range)), at: begin)
            }
            attributes.append((name, value))
        }
        return try element(name, attributes, at: start)
    }

    /// Resolves the namespaces of a start tag.
    private mutating func element(
        _ name: QualifiedName,
        _ attributes: [(name: QualifiedName, value: String)],
        at start: Int
    ) throws(XMLError) -> XMLElement {
        var others: [(name: QualifiedName, value: String)] = []
        for attribute in attributes {
            let prefix: String
            let (first, local) = (scanner.text(attribute.name.prefix), scanner.text(attribute.name.local))
            if first == "xmlns" {
                prefix = local
            } else if first.isEmpty, local == "xmlns" {
                prefix = ""
            } else {
                others.append(attribute)
                continue
            }
            guard namespaces.count < limits.namespaces else { throw scanner.error(.tooManyNamespaces, at: start) }
            guard namespaces.declare(prefix, attribute.value, depth: openNames.count) else {
                throw scanner.error(.invalidNamespace, at: start)
            }
        }
        var resolved: [XMLAttribute] = []
        for (name, value) in others {
            let namespace = name.prefix.isEmpty ? "" : try namespace(of: name, at: start)
            let local = scanner.text(name.local)
            // Two prefixes may have one namespace.
            if !namespace.isEmpty, resolved.contains(where: { $0.name == local && $0.namespace == namespace }) {
                throw scanner.error(.duplicateAttribute(local), at: start)
            }
            resolved.append(XMLAttribute(namespace: namespace, name: local, value: value))
        }
        return XMLElement(
            namespace: try namespace(of: name, at: start),
            name: scanner.text(name.local),
            attributes: resolved
        )
    }

    private func namespace(of name: QualifiedName, at start: Int) throws(XMLError) -> String {
        let prefix = scanner.text(name.prefix)
        guard let namespace = namespaces.name(of: prefix) else {
            throw scanner.error(.undeclaredPrefix(prefix), at: start)
        }
        return namespace
    }

    private struct QualifiedName {
        /// Empty if there is none.
        let prefix: Range<Int>
        let local: Range<Int>

        var range: Range<Int> { prefix.lowerBound..<local.upperBound }
    }

    private mutating func qualifiedName() throws(XMLError) -> QualifiedName {
        let first = try scanner.name(maximumLength: limits.nameLength)
        guard scanner.take(":") else { return QualifiedName(prefix: first.prefix(0), local: first) }
        return QualifiedName(prefix: first, local: try scanner.name(maximumLength: limits.nameLength))
    }
}
