/// The strong validator of an entity: what proves that two responses carry parts of the same bytes.
///
/// There is no such value for a weak tag, nor for a date that may have stood still while the bytes changed.
package enum EntityValidator: Hashable, Sendable {
    /// With its quotes, as it came.
    case etag(String)
    /// An HTTP date in the preferred form.
    case lastModified(String)

    /// Longer ones are treated as none: they would have to fit into a file's attributes.
    package static let maximumLength = 1_024

    /// The validator that a response names: its strong ETag, or else its Last-Modified when that lies at least a
    /// second before the Date of the same response (RFC 9110, section 8.8.2.2).
    package init?(head: ResponseHead) {
        if let tag = EntityTag(head: head), !tag.isWeak, tag.opaque.count <= Self.maximumLength, let text = tag.text {
            self = .etag(text)
        } else if let written = head.fields.undisputedOctets(of: "last-modified"),
            let (modified, text) = Self.canonicalDate(written),
            let date = head.fields.undisputedOctets(of: "date").flatMap({ HTTPDate($0) }), modified < date
        {
            self = .lastModified(text)
        } else {
            return nil
        }
    }

    /// Reads back what `text` gave. It may have been forged: what could not be sent as it stands is `nil`.
    package init?(stored text: String) {
        guard text.utf8.count <= Self.maximumLength else { return nil }
        if EntityTag.opaqueStart(in: text.utf8.span) == 0 {
            self = .etag(text)
        } else if Self.canonicalDate(Array(text.utf8)[...]) != nil {
            self = .lastModified(text)
        } else {
            return nil
        }
    }

    /// What If-Range carries, and what is stored.
    package var text: String {
        switch self {
        case .etag(let text), .lastModified(let text): text
        }
    }

    package enum Agreement: Hashable, Sendable {
        case same
        case different
        /// The response says nothing that would prove either.
        case unknown
    }

    /// Whether a response speaks of the entity that this validator is of.
    package func agreement(with head: ResponseHead) -> Agreement {
        switch self {
        case .etag(let held):
            guard let tag = EntityTag(head: head) else { return .unknown }
            guard tag.opaque.span.isSame(as: held.utf8.span) else { return .different }
            return tag.isWeak ? .unknown : .same
        case .lastModified(let held):
            guard let date = head.fields.undisputedOctets(of: "last-modified").flatMap({ HTTPDate($0) }) else {
                return .unknown
            }
            return date == HTTPDate(held) ? .same : .different
        }
    }

    /// If-Range is compared byte by byte, so only dates in the one form that servers write are of use in it.
    private static func canonicalDate(_ written: ArraySlice<UInt8>) -> (HTTPDate, text: String)? {
        guard let date = HTTPDate(written) else { return nil }
        let text = date.text
        return text.utf8.span.isSame(as: written.span) ? (date, text) : nil
    }
}

extension EntityValidator {
    // By bytes, as servers compare them: Swift calls two strings equal that differ in normalisation.
    package static func == (left: EntityValidator, right: EntityValidator) -> Bool {
        switch (left, right) {
        case (.etag(let left), .etag(let right)), (.lastModified(let left), .lastModified(let right)):
            left.utf8.span.isSame(as: right.utf8.span)
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        text.utf8.span.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}
