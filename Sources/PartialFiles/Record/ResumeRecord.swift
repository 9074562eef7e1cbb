import SpateFilePaths
package import SpateFileSystemCalls
package import SpateHTTPResumption
package import SpateHTTPSyntax

/// What a later process must know about a partial or finished file.
///
/// Anybody may write to its storage, so it is a hint, not a proof. A field that does not parse is nil.
package struct ResumeRecord: Hashable, Sendable {
    /// The canonical text of the URL.
    package var origin: String?
    /// The size of the whole file.
    package var total: Int64?
    package var validator: EntityValidator?
    /// The content coding of the stored bytes; nil for none.
    package var encoding: String?
    package var durable: DurableMark?
    /// The filled ranges of a file that may have gaps; nil if it has none: then all its bytes are filled.
    package var filled: FilledRanges?
    /// The hash of the mirror's URL that sent the bytes; nil if they came from the origin.
    package var mirror: URLHash?
    /// Whether the bytes are of responses that only checksums can prove to belong together. A download that has none
    /// must not use them.
    package var isJoined = false
    /// Whether a document chose the URL.
    package var isOfDocument = false
    /// The weak ETag of the bytes, to ask a server whether the finished file has changed.
    package var weakTag: String?
    /// When the server last changed the file; only if the finished file should get that time.
    package var lastModified: HTTPDate?
    /// The digest of the whole file that its server stated.
    package var digest: StatedDigest?
    /// The checksum that the finished file was proven to have, as `sha256:2c26…`, unless it is `digest`.
    package var checksum: String?
    /// The server's type for the file, if its name suggests another.
    package var type: FileType?
    /// The final name that a response gave. Of a finished file, its name when it was finished.
    package var name: FileName?
    /// The manager whose download of it is paused, waiting or due for a retry.
    package var owner: FileOwner?
    /// Whether the file will replace a finished one: it is wanted although that one is there.
    package var isReplacing = false

    package init(origin: String? = nil, isOfDocument: Bool = false) {
        (self.origin, self.isOfDocument) = (origin, isOfDocument)
    }

    /// The bytes of a file with this record.
    ///
    /// - Parameter name: its final name.
    func held(_ filled: FilledRanges, named name: FilePath) -> HeldBytes {
        // No response has begun it.
        if origin == nil { return .none }
        return HeldBytes(
            length: filled.front,
            gapEnd: filled.gapEnd,
            total: total,
            validator: knownValidator,
            encoding: encoding,
            digest: digest,
            isPage: isPage(named: name)
        )
    }

    /// What to ask about a finished file with this record; nil if nothing can prove that it is unchanged.
    func finishedEntity(size: Int64, named name: FilePath) -> FinishedEntity? {
        // Of a part that somebody renamed: a mirror's validator says nothing of the origin, nor that of joined bytes.
        let isOfOrigin = mirror == nil && !isJoined
        return FinishedEntity(
            size: size,
            validator: isOfOrigin ? knownValidator : nil,
            weakTag: isOfOrigin ? weakTag : nil,
            encoding: encoding,
            isPage: isPage(named: name)
        )
    }

    private func isPage(named name: FilePath) -> Bool { (type ?? FileType(ofName: name)) == .page }

    /// Earlier versions kept the date beside a weak tag. Beside a tag, it proves nothing.
    private var knownValidator: EntityValidator? {
        if case .lastModified = validator, let weakTag { EntityValidator(stored: weakTag) } else { validator }
    }

    /// The bytes of a partial file of `size` bytes that can be trusted under the boot `current`: all filled bytes if
    /// the machine has not restarted since, because the kernel has them; else the synced bytes; none if the file is
    /// shorter than those, or longer than the whole.
    ///
    /// - Parameter proof: what will prove the file. With checksums of pieces a gap can be filled by any response.
    package func trusted(
        of size: Int64,
        under current: BootID?,
        proof: HeldBytes.Proof = .none
    ) -> FilledRanges {
        // Whoever made it longer than the whole may have changed any byte.
        guard let durable, durable.filled.end <= size, size <= total ?? size, !isJoined || proof != .none else {
            return FilledRanges()
        }
        var trusted = FilledRanges(upTo: size)
        if filled != nil || durable.isList {
            // If the list is impossible or missing, the synced bytes remain.
            trusted = filled.flatMap { $0.end <= size ? $0 : nil } ?? durable.filled
        }
        if durable.boot == nil || durable.boot != current { trusted = trusted.intersection(durable.filled) }
        // Without a proof, a response can only continue the front.
        let canFillGaps = total != nil && (proof == .pieces || knownValidator?.strong != nil)
        return trusted.hasGaps && !canFillGaps ? FilledRanges(upTo: trusted.front) : trusted
    }

    /// The file has no gaps any more. The mark comes first among the fields: with the list, either form is right.
    mutating func dropList() {
        filled = nil
        durable = durable.map { DurableMark($0.filled, boot: $0.boot, isList: false) }
    }

    /// Whether the file belongs to this URL.
    package func isOf(_ url: HTTPURL) -> Bool {
        origin?.utf8.elementsEqual(url.text.utf8) ?? false
    }
}

/// One field of a record: the raw value is the name of its attribute.
package enum RecordField: String, CaseIterable, Sendable {
    // The order of writing for a file that has its origin: space may run out, so the most important come first.
    case origin = "user.xdg.origin.url"
    case document = "user.spate.document"
    case total = "user.spate.total"
    case durable = "user.spate.durable"
    case filled = "user.spate.filled"
    // Before the validator: in between, a mirror's bytes must not seem to be the origin's.
    case mirror = "user.spate.mirror"
    case joined = "user.spate.joined"
    case validator = "user.spate.validator"
    case encoding = "user.spate.encoding"
    case weakTag = "user.spate.weak-etag"
    case lastModified = "user.spate.last-modified"
    case digest = "user.spate.digest"
    case checksum = "user.spate.checksum"
    case type = "user.spate.type"
    case name = "user.spate.name"
    case owner = "user.spate.owner"
    case replacing = "user.spate.replacing"

    // Made once: each file uses it several times.
    package static let allCases: [RecordField] = [
        .origin, .document, .total, .durable, .filled, .mirror, .joined, .validator, .encoding, .weakTag, .lastModified,
        .digest, .checksum, .type, .name, .owner, .replacing,
    ]

    /// The order for a new file: the origin last. On ext4 the short attributes fit into the inode. The origin needs its
    /// own block, which is then written only once.
    static let forNewFile = allCases.filter { $0 != .origin } + [.origin]
}

extension ResumeRecord {
    /// A field as text; nil if it is empty. Setting an invalid text empties the field.
    package subscript(field: RecordField) -> String? {
        get {
            switch field {
            case .origin: origin
            case .total: total.map { String($0) }
            case .durable: durable?.description
            case .filled: filled?.text
            case .mirror: mirror?.digits16
            case .joined: isJoined ? "yes" : nil
            case .document: isOfDocument ? "yes" : nil
            case .validator: validator?.text
            case .encoding: encoding
            case .weakTag: weakTag
            case .lastModified: lastModified?.text
            case .digest: digest?.storedText
            case .checksum: checksum
            case .type: type?.rawValue
            case .name: name?.text
            case .owner: owner?.text
            case .replacing: isReplacing ? "yes" : nil
            }
        }
        set {
            switch field {
            case .origin: origin = newValue.flatMap { Self.plain($0, atMost: HTTPURL.maximumLength) }
            case .total: total = newValue.flatMap { Int64(strictDecimal: $0.utf8.span) }
            case .durable: durable = newValue.flatMap { DurableMark($0) }
            case .filled: filled = newValue.flatMap { FilledRanges($0) }
            case .mirror: mirror = newValue.flatMap { URLHash(digits16: $0) }
            case .joined: isJoined = newValue == "yes"
            // Whatever a garbled one says: with it, less is sent.
            case .document: isOfDocument = newValue != nil
            case .validator: validator = newValue.flatMap { EntityValidator(stored: $0) }
            case .encoding: encoding = newValue.flatMap { Self.plain($0, atMost: Self.longestEncoding) }
            case .weakTag: weakTag = newValue.flatMap { EntityValidator.weakTag(stored: $0) }
            // Only in the form that Spate writes.
            case .lastModified:
                let date = newValue.flatMap { HTTPDate($0) }
                lastModified = date?.text == newValue ? date : nil
            case .digest: digest = newValue.flatMap { StatedDigest(stored: $0) }
            case .checksum: checksum = newValue.flatMap { Self.checksum($0) }
            case .type: type = newValue.flatMap { FileType(rawValue: $0) }
            case .name: name = newValue.flatMap { FileName(stored: $0) }
            case .owner: owner = newValue.flatMap { FileOwner($0) }
            case .replacing: isReplacing = newValue == "yes"
            }
        }
    }

    package static let longestEncoding = 128
    /// The name of an algorithm, and the 128 digits of a SHA-512.
    private static let longestChecksum = 144

    /// The text if it is printable ASCII and not too long, so that a forged record cannot inject anything into a
    /// header, a terminal or a log.
    static func plain(_ text: String, atMost limit: Int) -> String? {
        let isPlain = (1...limit).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        return isPlain ? text : nil
    }

    /// The text if it is `ALGORITHM:DIGITS`, in lower case.
    private static func checksum(_ text: String) -> String? {
        let parts = text.utf8.prefix(longestChecksum + 1).split(
            separator: UInt8(ascii: ":"),
            omittingEmptySubsequences: false
        )
        let (letters, digits) = (UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"))
        guard text.utf8.count <= longestChecksum, parts.count == 2, parts.allSatisfy({ !$0.isEmpty }),
            parts[0].allSatisfy({ letters.contains($0) || digits.contains($0) }),
            parts[1].allSatisfy({ digits.contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) })
        else { return nil }
        return text
    }

    /// Copies one field.
    mutating func take(_ field: RecordField, from other: ResumeRecord) {
        switch field {
        case .origin: origin = other.origin
        case .total: total = other.total
        case .durable: durable = other.durable
        case .filled: filled = other.filled
        case .mirror: mirror = other.mirror
        case .joined: isJoined = other.isJoined
        case .document: isOfDocument = other.isOfDocument
        case .validator: validator = other.validator
        case .encoding: encoding = other.encoding
        case .weakTag: weakTag = other.weakTag
        case .lastModified: lastModified = other.lastModified
        case .digest: digest = other.digest
        case .checksum: checksum = other.checksum
        case .type: type = other.type
        case .name: name = other.name
        case .owner: owner = other.owner
        case .replacing: isReplacing = other.isReplacing
        }
    }

    /// The index of the first field from `start` on that differs.
    // A call for each field would copy the record each time: it is large.
    func firstChange(to other: ResumeRecord, in fields: [RecordField], from start: Int) -> Int? {
        (start..<fields.count).first { !agrees(with: other, in: fields[$0]) }
    }

    /// Whether one field is equal.
    private func agrees(with other: ResumeRecord, in field: RecordField) -> Bool {
        switch field {
        case .origin: origin == other.origin
        case .total: total == other.total
        case .durable: durable == other.durable
        case .filled: filled == other.filled
        case .mirror: mirror == other.mirror
        case .joined: isJoined == other.isJoined
        case .document: isOfDocument == other.isOfDocument
        case .validator: validator == other.validator
        case .encoding: encoding == other.encoding
        case .weakTag: weakTag == other.weakTag
        case .lastModified: lastModified == other.lastModified
        case .digest: digest == other.digest
        case .checksum: checksum == other.checksum
        case .type: type == other.type
        case .name: name == other.name
        case .owner: owner == other.owner
        case .replacing: isReplacing == other.isReplacing
        }
    }
}
