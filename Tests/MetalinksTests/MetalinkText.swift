import SpateMetalinks

/// Short Metalinks for tests.
enum MetalinkText {
    /// A Metalink 4 with these elements.
    static func four(_ elements: String) -> String {
        "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\">\(elements)</metalink>"
    }

    /// A Metalink 3 with these files.
    static func three(_ files: String, attributes: String = "") -> String {
        "<metalink version=\"3.0\" xmlns=\"http://www.metalinker.org/\"\(attributes)><files>\(files)</files></metalink>"
    }
}

extension Metalink {
    init(_ text: String, limits: MetalinkLimits = MetalinkLimits()) throws(MetalinkError) {
        try self.init(Array(text.utf8), limits: limits)
    }
}

extension MetalinkFile {
    /// The only file of a Metalink 4, with these elements.
    init(four elements: String) throws {
        let metalink = try Metalink(MetalinkText.four("<file name=\"a\">\(elements)</file>"))
        self = metalink.files[0]
    }

    /// The only file of a Metalink 3.
    init(three elements: String = "", verification: String = "", resources: String = "") throws {
        let groups = "<verification>\(verification)</verification><resources>\(resources)</resources>"
        self = try Metalink(MetalinkText.three("<file name=\"a\">\(elements)\(groups)</file>")).files[0]
    }
}

extension MetalinkDigest {
    /// Such as `md5:d41d8c…`.
    var text: String { "\(algorithm):\(bytes.hexadecimal)" }
}

extension Sequence<UInt8> {
    var hexadecimal: String { map { String(256 + Int($0), radix: 16).suffix(2) }.joined() }
}
