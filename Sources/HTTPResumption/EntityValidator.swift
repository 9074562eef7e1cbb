/// A strong validator, which proves that two responses carry parts of the same bytes.
///
/// Weak tags are excluded, and so are dates that may have stayed the same while the bytes changed.
package enum EntityValidator: Hashable, Sendable {
    /// As received, with its quotes.
    case etag(String)
    /// An HTTP date in the preferred form.
    case lastModified(String)

    /// A longer validator is ignored, because it must fit into the file's extended attributes.
    package static let maximumLength = 1_024

    /// The response's strong ETag, or else its Last-Modified if that is at least a second before the Date of the same
    /// response (RFC 9110, section 8.8.2.2).
    package init?(head: ResponseHead) {
        if let tag = EntityTag(head: head), !tag.isWeak, tag.opaque.count <= Self.maximumLength, let text = tag.text {
            self = .etag(text)
        } else if let written = head.fields.commonOctets(of: "last-modified"),
            let (modified, text) = Self.canonicalDate(written),
            let date = head.fields.commonOctets(of: "date").flatMap({ HTTPDate($0) }), modified < date
        {
            self = .lastModified(text)
        } else {
            return nil
        }
    }

    /// Reads back a stored `text`. It may be forged: `nil` unless it can be sent as it is.
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

    /// The value to send in If-Range and to store.
    package var text: String {
        switch self {
        case .etag(let text), .lastModified(let text): text
        }
    }

    package enum Agreement: Hashable, Sendable {
        case same
        case different
        /// The response proves neither.
        case unknown
    }

    /// Whether a response belongs to the entity that this validator identifies.
    package func agreement(with head: ResponseHead) -> Agreement {
        switch self {
        case .etag(let held):
            guard let tag = EntityTag(head: head) else { return .unknown }
            guard tag.opaque.span.isSame(as: held.utf8.span) else { return .different }
            return tag.isWeak ? .unknown : .same
        case .lastModified(let held):
            guard let date = head.fields.commonOctets(of: "last-modified").flatMap({ HTTPDate($0) }) else {
                return .unknown
            }
            return date == HTTPDate(held) ? .same : .different
        }
    }

    /// Servers compare If-Range byte by byte, so only a date in their preferred form can be sent back.
    private static func canonicalDate(_ written: ArraySlice<UInt8>) -> (HTTPDate, text: String)? {
        guard let date = HTTPDate(written) else { return nil }
        let text = date.text
        return text.utf8.span.isSame(as: written.span) ? (date, text) : nil
    }
}

extension EntityValidator {
    // By bytes, as servers compare them. Swift's `==` ignores differences in Unicode normalisation.
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
