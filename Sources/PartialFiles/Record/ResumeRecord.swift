package import HTTPResumption

/// What is remembered about a partial or finished file, so that a later process can go on with it.
///
/// It is read from where anybody may write: a hint, never a proof. What does not parse is left out.
package struct ResumeRecord: Hashable, Sendable {
    /// The canonical text of the URL.
    package var origin: String?
    /// The size of the whole. A finished file's size equals it.
    package var total: Int64?
    package var validator: EntityValidator?
    /// The content coding in which the bytes are stored; nil for none.
    package var encoding: String?
    package var durable: DurableMark?

    package init(
        origin: String? = nil,
        total: Int64? = nil,
        validator: EntityValidator? = nil,
        encoding: String? = nil,
        durable: DurableMark? = nil
    ) {
        self.origin = origin
        self.total = total
        self.validator = validator
        self.encoding = encoding
        self.durable = durable
    }

    /// What a file of `length` bytes with this record holds.
    func held(length: Int64) -> HeldBytes {
        HeldBytes(length: length, total: total, validator: validator, encoding: encoding)
    }

    /// Whether the file is of this URL.
    package func isOf(_ url: HTTPURL) -> Bool {
        origin?.utf8.elementsEqual(url.text.utf8) ?? false
    }

    /// Whether a finished file of `size` bytes is what it was when it was finished. One with a mark was given its name
    /// before it was on the medium: it is believed as long as the kernel that has it runs.
    func isWhole(size: Int64, under boot: BootID?) -> Bool {
        total == size && durable?.trustedLength(of: size, under: boot) ?? size == size
    }

    /// Whether the file `name` is Spate's, as this record of it says. The origin alone proves nothing, for other
    /// programs write it as well: a finished file has a total, and a partial with bytes in it has at least a mark.
    func provesSpates(_ name: String, size: Int64) -> Bool {
        if origin == nil { return false }
        if !FileName.isPartial(name) { return total != nil }
        return size == 0 || total != nil || durable != nil || validator != nil || encoding != nil
    }
}

/// One field of a record: the raw value is the name of its attribute.
package enum RecordField: String, CaseIterable, Sendable {
    // In the order in which they are written: what matters most finds room first.
    case origin = "user.xdg.origin.url"
    case total = "user.spate.total"
    case durable = "user.spate.durable"
    case validator = "user.spate.validator"
    case encoding = "user.spate.encoding"
}

extension ResumeRecord {
    /// A field as the text that is stored; nil where there is nothing to store. Setting takes only a text that could
    /// have come from here: any other leaves the field empty.
    package subscript(field: RecordField) -> String? {
        get {
            switch field {
            case .origin: origin
            case .total: total.map { String($0) }
            case .durable: durable?.description
            case .validator: validator?.text
            case .encoding: encoding
            }
        }
        set {
            switch field {
            case .origin: origin = newValue.flatMap { Self.plain($0, atMost: HTTPURL.maximumLength) }
            case .total: total = newValue.flatMap { Int64(strictDecimal: $0.utf8) }
            case .durable: durable = newValue.flatMap { DurableMark($0) }
            case .validator: validator = newValue.flatMap { EntityValidator(stored: $0) }
            case .encoding: encoding = newValue.flatMap { Self.plain($0, atMost: Self.longestEncoding) }
            }
        }
    }

    package static let longestEncoding = 128

    /// The text where it is printable ASCII and not too long. Nothing forged gets from a record into a header line,
    /// a terminal or a log.
    static func plain(_ text: String, atMost limit: Int) -> String? {
        let isPlain = (1...limit).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        return isPlain ? text : nil
    }

    /// Takes over what `other` has in `field`.
    mutating func take(_ field: RecordField, from other: ResumeRecord) {
        switch field {
        case .origin: origin = other.origin
        case .total: total = other.total
        case .durable: durable = other.durable
        case .validator: validator = other.validator
        case .encoding: encoding = other.encoding
        }
    }

    /// Whether `other` has the same in `field`.
    func agrees(with other: ResumeRecord, in field: RecordField) -> Bool {
        switch field {
        case .origin: origin == other.origin
        case .total: total == other.total
        case .durable: durable == other.durable
        case .validator: validator == other.validator
        case .encoding: encoding == other.encoding
        }
    }
}
