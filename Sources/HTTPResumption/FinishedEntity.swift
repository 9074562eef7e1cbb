import SpateHTTPSyntax

/// The entity of a finished file that may have changed on the server, with its validators.
package struct FinishedEntity: Hashable, Sendable {
    /// What a server needs to say that an entity is unchanged.
    package enum Condition: Hashable, Sendable {
        /// For If-None-Match, as received: strong, or weak with its `W/`.
        case entityTag(String)
        /// For If-Modified-Since.
        case date(String)
    }

    package let size: Int64
    package let condition: Condition
    /// The Content-Encoding of the stored bytes, as in `ResponseHead.contentEncoding`.
    package let encoding: String?
    /// Whether the entity is a page for a browser.
    let isPage: Bool
    package let validator: EntityValidator?

    /// nil if nothing can prove that it is unchanged: the validator is unknown, or from the second in which the file
    /// was written.
    ///
    /// - Parameter weakTag: the weak tag of the same response, from `EntityValidator.weakTag(of:)`.
    package init?(
        size: Int64,
        validator: EntityValidator?,
        weakTag: String?,
        encoding: String?,
        isPage: Bool = false
    ) {
        switch (validator, weakTag) {
        case (.etag(let tag), _): condition = .entityTag(tag)
        // Prefer tags to dates: an older file that was put back on the server may count as unchanged by its date.
        case (_, let tag?): condition = .entityTag(tag)
        case (.lastModified(let date), nil): condition = .date(date)
        case (.weakTag, nil), (nil, nil): return nil
        }
        (self.size, self.validator, self.encoding, self.isPage) = (size, validator, encoding, isPage)
    }

    /// Whether a 304 names another entity, such as after an older file was put back on the server.
    func isContradicted(by head: ResponseHead) -> Bool {
        switch condition {
        case .entityTag(let held):
            guard let tag = EntityTag(head: head) else { return false }
            // The weak comparison, as for If-None-Match.
            let start = EntityTag.opaqueStart(in: held.utf8.span) ?? 0
            return !tag.opaque.span.isSame(as: held.utf8.span.extracting(droppingFirst: start))
        case .date(let held):
            guard let date = head.lastModified else { return false }
            return date != HTTPDate(held)
        }
    }

    /// Whether a response has the tag or date of the condition.
    func isNamed(by head: ResponseHead) -> Bool {
        let isThere =
            switch condition {
            case .entityTag: EntityTag(head: head) != nil
            case .date: head.lastModified != nil
            }
        return isThere && !isContradicted(by: head)
    }

    /// Whether a 200 is provably this entity again. Servers without conditional requests send one.
    func isSame(as head: ResponseHead, length: Int64?) -> Bool {
        guard let validator, validator.agreement(with: head) == .same else { return false }
        return head.contentEncoding == encoding && length ?? size == size
    }
}
