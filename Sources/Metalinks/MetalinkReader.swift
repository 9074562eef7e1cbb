import SpateHTTPSyntax

/// Reads the elements of a Metalink, of both versions.
struct MetalinkReader {
    private static let namespaces: [String: Metalink.Version] = [
        "urn:ietf:params:xml:ns:metalink": .four, "http://www.metalinker.org/": .three,
    ]

    private var xml: XMLReader
    private let limits: MetalinkLimits
    private let namespace: String
    private let version: Metalink.Version
    private let root: XMLElement
    private var names: Set<[UInt8]> = []
    private var files: [MetalinkFile] = []
    private var pieceCount = 0

    init(_ document: [UInt8], limits: MetalinkLimits) throws(MetalinkError) {
        self.limits = limits
        do throws(XMLError) {
            xml = try XMLReader(document, limits: limits.xml)
            // The first event is a start, or an error.
            guard case .start(let element) = try xml.next() else {
                throw XMLError(fault: .unexpectedEnd, line: xml.line)
            }
            root = element
        } catch {
            throw MetalinkError(error)
        }
        guard root.name == "metalink", let version = Self.namespaces[root.namespace] else {
            throw MetalinkError(fault: .notAMetalink, line: xml.line)
        }
        (self.version, namespace) = (version, root.namespace)
    }

    mutating func metalink() throws(MetalinkError) -> Metalink {
        var origin = version == .three ? root["origin"].flatMap(Self.url) : nil
        var isDynamic = version == .three && root["type"] == "dynamic"
        while let element = try nextChild() {
            switch (version, element.name) {
            case (.four, "file"): try readFile(element)
            case (.three, "files"): try readFiles()
            case (.four, "origin"):
                isDynamic = isDynamic || ["true", "1"].contains(element["dynamic"])
                let url = Self.url(String(decoding: try text(), as: UTF8.self))
                origin = origin ?? url
            default: try skip()
            }
        }
        // Nothing may follow the root.
        _ = try next()
        return Metalink(version: version, origin: origin, isDynamic: isDynamic, files: files)
    }

    private mutating func readFiles() throws(MetalinkError) {
        while let element = try nextChild() {
            if element.name == "file" { try readFile(element) } else { try skip() }
        }
    }

    private mutating func readFile(_ element: XMLElement) throws(MetalinkError) {
        guard files.count < limits.files else { throw error(.tooManyFiles) }
        guard let name = element["name"], !name.isEmpty else { throw error(.missingName) }
        guard names.insert(Array(name.utf8)).inserted || version == .three else { throw error(.duplicateName(name)) }
        var draft = MetalinkFileDraft(name: name)
        try readParts(of: &draft, in: .file)
        files.append(draft.file)
    }

    /// The elements that have parts of a file as their children. In Metalink 4 it is only the first.
    private enum Group {
        case file, verification, resources
    }

    private mutating func readParts(of draft: inout MetalinkFileDraft, in group: Group) throws(MetalinkError) {
        while let element = try nextChild() {
            switch (version, group, element.name) {
            case (.three, .file, "verification"): try readParts(of: &draft, in: .verification)
            case (.three, .file, "resources"): try readParts(of: &draft, in: .resources)
            case (_, .file, "size"):
                let size = try text()
                draft.add(size: Int64(strictDecimal: size.span))
            case (.four, .file, "hash"), (.three, .verification, "hash"):
                let algorithm = element["type"].flatMap(MetalinkDigest.Algorithm.init(stated:))
                draft.addDigest(algorithm, hexadecimal: try text())
            case (.four, .file, "pieces"), (.three, .verification, "pieces"):
                try readPieces(element, of: &draft)
            case (.four, .file, "signature"), (.three, .verification, "signature"):
                draft.hasSignature = true
                try skip()
            case (.four, .file, "url"), (.three, .resources, "url"): try readURL(element, of: &draft)
            case (.four, .file, "metaurl"):
                draft.metaURLCount += 1
                try skip()
            default: try skip()
            }
        }
    }

    private mutating func readPieces(
        _ element: XMLElement,
        of draft: inout MetalinkFileDraft
    ) throws(MetalinkError) {
        guard let algorithm = element["type"].flatMap(MetalinkDigest.Algorithm.init(stated:)) else { return try skip() }
        guard draft.pieces.count < limits.pieceLists else { throw error(.tooManyPieces) }
        let length = element["length"].flatMap { Int64(strictDecimal: $0.utf8.span) }
        var pieces = PieceCollector(algorithm, length: length, areNumbered: version == .three)
        while let element = try nextChild() {
            guard element.name == "hash" else {
                try skip()
                continue
            }
            pieceCount += 1
            guard pieceCount <= limits.pieces else { throw error(.tooManyPieces) }
            let number = element["piece"].flatMap { Int64(strictDecimal: $0.utf8.span) }
            pieces.append(hexadecimal: try text(), number: number)
        }
        draft.pieces.append(pieces)
    }

    private mutating func readURL(_ element: XMLElement, of draft: inout MetalinkFileDraft) throws(MetalinkError) {
        draft.urlCount += 1
        guard draft.urlCount <= limits.urlsOfOneFile else { throw error(.tooManyURLs) }
        let stated = String(decoding: try text(), as: UTF8.self)
        // In Metalink 3 a torrent's URL may be an http one.
        if version == .three, element["type"]?.lowercased() == "bittorrent" {
            draft.metaURLCount += 1
            return
        }
        guard let url = Self.url(stated) else {
            draft.unusableURLCount += 1
            return
        }
        let rank = element[version == .three ? "preference" : "priority"].flatMap { Int64(strictDecimal: $0.utf8.span) }
            .flatMap { Int(exactly: $0) }
        let priority = version == .three ? rank.flatMap(MetalinkMirror.priority(ofPreference:)) : rank
        draft.mirrors.append(MetalinkMirror(url: url, priority: priority, location: element["location"]))
    }

    private static func url(_ text: String) -> HTTPURL? { try? HTTPURL(text) }
}

// Steps in the document.
extension MetalinkReader {
    private func error(_ fault: MetalinkError.Fault) -> MetalinkError { MetalinkError(fault: fault, line: xml.line) }

    private mutating func next() throws(MetalinkError) -> XMLEvent? {
        do throws(XMLError) {
            return try xml.next()
        } catch {
            throw MetalinkError(error)
        }
    }

    private mutating func skip() throws(MetalinkError) {
        do throws(XMLError) {
            try xml.skipElement()
        } catch {
            throw MetalinkError(error)
        }
    }

    /// The next child of the current element that is of Metalink; `nil` at the end of the element. The child must be
    /// read to its end.
    private mutating func nextChild() throws(MetalinkError) -> XMLElement? {
        while let event = try next() {
            switch event {
            case .start(let element) where element.namespace == namespace: return element
            case .start: try skip()
            case .text: break
            case .end: return nil
            }
        }
        return nil
    }

    /// The text of the current element, without white space around it and without that of its children. Reads to the
    /// end of the element.
    private mutating func text() throws(MetalinkError) -> ArraySlice<UInt8> {
        var whole: ArraySlice<UInt8> = []
        while let event = try next(), event != .end {
            switch event {
            case .start: try skip()
            case .text(let part): if whole.isEmpty { whole = part } else { whole += part }
            case .end: break
            }
        }
        let rest = whole.drop { $0.isXMLSpace }
        return rest[..<((rest.lastIndex { !$0.isXMLSpace } ?? rest.startIndex - 1) + 1)]
    }
}

extension MetalinkError {
    fileprivate init(_ error: XMLError) {
        self.init(fault: .xml(error.fault), line: error.line)
    }
}
