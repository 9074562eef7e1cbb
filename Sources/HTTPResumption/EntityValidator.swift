package import SpateHTTPSyntax

/// What a response says about the identity of its entity.
///
/// A strong validator proves that two responses carry parts of the same bytes. A weak tag proves only a difference:
/// another tag means another file. A date counts only without a tag, and only if the bytes cannot have changed while it
/// stayed the same.
package enum EntityValidator: Hashable, Sendable {
    /// A strong tag as received, with its quotes.
    case etag(String)
    /// An HTTP date in the preferred form.
    case lastModified(String)
    /// A weak tag, with its `W/`. A tag whose quoted part differs is another file.
    ///
    /// A strong tag counts as weak if the response is from the second in which the file was written: many servers make
    /// tags from that second and the size, so another file of that second can have the same tag.
    case weakTag(String)

    /// A longer validator is ignored, because it must fit into the file's extended attributes.
    package static let maximumLength = 1_024

    /// The response's ETag, or its Last-Modified if it has no ETag. A tag is strong, and a date counts, only if the
    /// Last-Modified is at least a second before the Date of the same response (RFC 9110, section 8.8.2.2).
    package init?(head: ResponseHead) {
        if let tag = EntityTag(head: head) {
            // Even a tag that cannot be stored: back ends with different files may share their date.
            guard let text = tag.text else { return nil }
            self.init(tag: text, isWeak: tag.isWeak || head.mayHaveChangedInItsSecond)
        } else if !head.mayHaveChangedInItsSecond, let text = head.canonicalLastModified {
            self = .lastModified(text)
        } else {
            return nil
        }
    }

    /// The response's weak ETag, with its `W/`. It proves nothing about parts, but a server can say whether the whole
    /// has changed. Like a strong tag, it does not count in the second in which the file was written.
    package static func weakTag(of head: ResponseHead) -> String? {
        guard let tag = EntityTag(head: head), tag.isWeak, let text = tag.text, text.utf8.count <= maximumLength,
            !head.mayHaveChangedInItsSecond
        else { return nil }
        return text
    }

    /// Reads back a stored weak tag. It may be forged: `nil` unless it can be sent as it is.
    package static func weakTag(stored text: String) -> String? {
        guard text.utf8.count <= maximumLength, EntityTag.opaqueStart(in: text.utf8.span) == 2 else { return nil }
        return text
    }

    /// - Parameter tag: the tag as received, strong or weak.
    private init?(tag: String, isWeak: Bool) {
        let text = isWeak && !tag.hasPrefix("W/") ? "W/" + tag : tag
        guard text.utf8.count <= Self.maximumLength else { return nil }
        self = isWeak ? .weakTag(text) : .etag(text)
    }

    /// Reads back a stored `text`. It may be forged: `nil` unless it can be sent as it is.
    package init?(stored text: String) {
        guard text.utf8.count <= Self.maximumLength else { return nil }
        switch EntityTag.opaqueStart(in: text.utf8.span) {
        case 0?: self = .etag(text)
        case _?: self = .weakTag(text)
        case nil:
            guard let date = HTTPDate(text), date.text.utf8.span.isSame(as: text.utf8.span) else { return nil }
            self = .lastModified(text)
        }
    }

    /// The text to store and, of a strong validator, to send in If-Range.
    package var text: String {
        switch self {
        case .etag(let text), .lastModified(let text), .weakTag(let text): text
        }
    }

    /// The validator if it is strong, or else `nil`.
    package var strong: EntityValidator? {
        if case .weakTag = self { nil } else { self }
    }

    package enum Agreement: Hashable, Sendable {
        case same
        case different
        /// The response proves neither.
        case unknown
    }

    /// Whether a response has this validator, strong or weak.
    func isNamed(by head: ResponseHead) -> Bool {
        switch self {
        case .etag, .weakTag: EntityTag(head: head) != nil && agreement(with: head) != .different
        case .lastModified: agreement(with: head) == .same
        }
    }

    /// Whether a response belongs to the entity that this validator identifies.
    package func agreement(with head: ResponseHead) -> Agreement {
        switch self {
        case .etag(let held):
            guard let tag = EntityTag(head: head) else { return .unknown }
            guard tag.opaque.span.isSame(as: held.utf8.span) else { return .different }
            return EntityValidator(head: head) == self ? .same : .unknown
        case .weakTag(let held):
            guard let tag = EntityTag(head: head) else { return .unknown }
            return tag.opaque.span.isSame(as: held.utf8.span.extracting(droppingFirst: 2)) ? .unknown : .different
        case .lastModified(let held):
            guard let date = head.lastModified else { return .unknown }
            return date == HTTPDate(held) ? .same : .different
        }
    }
}

extension ResponseHead {
    /// Whether the response states a Last-Modified that is not at least a second before its Date: the entity may have
    /// changed since without another date.
    fileprivate var mayHaveChangedInItsSecond: Bool {
        guard let lastModified else { return false }
        return date.map { !(lastModified < $0) } ?? true
    }

    /// The Last-Modified as received. Servers compare If-Range byte by byte, so only a date in their preferred form can
    /// be sent back; `nil` for any other.
    fileprivate var canonicalLastModified: String? {
        guard let text = lastModified?.text, let octets = fields.commonOctets(of: "last-modified") else { return nil }
        return text.utf8.span.isSame(as: octets.span) ? text : nil
    }
}

extension EntityValidator {
    // By bytes, as servers compare them. Swift's `==` ignores differences in Unicode normalisation.
    package static func == (left: EntityValidator, right: EntityValidator) -> Bool {
        switch (left, right) {
        case (.etag(let left), .etag(let right)), (.lastModified(let left), .lastModified(let right)),
            (.weakTag(let left), .weakTag(let right)):
            left.utf8.span.isSame(as: right.utf8.span)
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        text.utf8.span.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}
