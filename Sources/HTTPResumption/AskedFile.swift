package import SpateHTTPSyntax

/// A finished file, about which a server is asked and nothing more.
package struct AskedFile: Sendable {
    /// What a response says about the file.
    package enum Answer: Sendable {
        /// The server still has it.
        case same
        /// The server has another one.
        case other
        /// Nothing proves either.
        case unknown
    }

    private let size: Int64
    private let entity: FinishedEntity?

    /// - Parameter entity: nil if nothing can prove that the file is unchanged.
    package init(size: Int64, entity: FinishedEntity?) {
        (self.size, self.entity) = (size, entity)
    }

    /// The answer in a whole response, whose body is `body`. Weak tags and dates count as they do to a server that is
    /// sent a condition: no bytes are joined.
    package func answer(in head: ResponseHead, _ body: AcceptedBody) -> Answer {
        if let total = body.total, total != size, head.contentEncoding == entity?.encoding { return .other }
        guard let entity else { return .unknown }
        if entity.isContradicted(by: head) { return .other }
        return entity.isNamed(by: head) ? .same : .unknown
    }
}
