import SpateHTTPResumption
import SpateHTTPSyntax

/// The claims about bytes that are written, or accepted as complete.
extension FuzzTarget {
    static func checkWhole(_ body: AcceptedBody, _ story: DecisionCase) throws(BrokenClaim) {
        try require([200, 203].contains(story.head.status), "a whole is taken from status \(story.head.status)")
        try require(body.offset == 0 && body.comparing == 0, "a whole entity does not begin at zero")
        try require(body.bodyLength == story.statedLength, "not the length that the message states")
        try require(!isAmbiguous(story), "a message of uncertain length is accepted")
        try require(body.total == body.bodyLength ?? story.limits.expectedBytes, "not the size of the whole")
        try checkSize(body.total, story)
        if let validator = body.validator {
            try require(story.plain.gives(validator), "\(validator) is not the response's")
        }
        let isVerifiable = body.total != nil || story.head.showsItsEnd
        try require(body.isLengthVerifiable == isVerifiable, "whether a cut can be detected is wrong")
    }

    /// Bytes are joined only at the requested offset, and with proof that they continue the held ones.
    static func checkJoin(_ body: AcceptedBody, _ story: DecisionCase) throws(BrokenClaim) {
        let held = story.held
        try require(story.head.status == 206, "status \(story.head.status) is joined")
        guard case .tail(let asked, _) = story.request else {
            throw BrokenClaim(description: "a part is accepted without a range request")
        }
        try require(body.offset == asked && asked >= 0, "bytes are joined at another offset than requested")
        try require(asked <= held.length && body.comparing == held.length - asked, "joined beside the held bytes")

        let ranges = Set(story.plain.values(of: "content-range"))
        guard ranges.count == 1, let field = ranges.first,
            case .part(let first, let last, let total) = ContentRange(PlainFields.text(field))
        else { throw BrokenClaim(description: "bytes are joined without one valid range") }
        try require(first == asked && body.bodyLength == last - first + 1, "another part is joined")
        try require(!isAmbiguous(story), "a message of uncertain length is joined")
        if let stated = story.statedLength { try require(stated == body.bodyLength, "one part has two lengths") }
        try require(!isMultipart(story), "several parts are joined as one")

        // If all that is held is compared, nothing is left to prove.
        let isCompared = body.comparing >= min(RangeRequest.overlapLength, max(1, held.length))
        try require(story.isSameEntity || isCompared, "joined without proof")
        try require(!isOtherEntity(story), "bytes of another entity are joined")
        try require(total != nil || story.isSameEntity, "a part with an unknown total is joined without proof")
        if let total, let known = held.total { try require(total == known, "a part with another total is joined") }
        let whole = total ?? held.total
        try require(body.total == whole ?? story.limits.expectedBytes, "not the size of the whole")
        try require(whole ?? .max > last, "a part ends after the total")
        try checkSize(whole ?? last + 1, story, isWhole: whole != nil)
        let encoding = story.head.contentEncoding
        try require(encoding == held.encoding || (encoding == nil && story.isSameEntity), "another encoding is joined")
        try require(body.encoding == held.encoding, "the encoding changes")
        if let validator = held.validator?.strong { try require(body.validator == validator, "the validator changes") }
    }

    static func checkComplete(_ total: Int64, _ story: DecisionCase) throws(BrokenClaim) {
        let held = story.held
        try require(story.head.status == 416, "status \(story.head.status) proves the end")
        try require(total == held.length && held.total ?? total == total, "a file of another size is complete")
        guard case .tail(total, let condition) = story.request else {
            throw BrokenClaim(description: "complete, but another range was requested")
        }
        try require(held.validator?.strong != nil && !isOtherEntity(story), "complete without proof")
        try require(condition != nil || story.isSameEntity, "complete without a condition")
        let ranges = Set(story.plain.values(of: "content-range").map { ContentRange(PlainFields.text($0)) })
        try require(ranges == [.unsatisfied(total: total)], "complete at another size than the server's")
        try checkSize(total, story)
    }

    private static func checkSize(_ size: Int64?, _ story: DecisionCase, isWhole: Bool = true) throws(BrokenClaim) {
        guard let size else { return }
        if let most = story.limits.maximumBytes { try require(size <= most, "more than the caller allows") }
        if let expected = story.limits.expectedBytes {
            try require(isWhole ? size == expected : size <= expected, "not what the caller expects")
        }
    }

    /// Whether the end of the message is uncertain.
    private static func isAmbiguous(_ story: DecisionCase) -> Bool {
        if story.head.overridesContentLength { return false }
        switch story.head.contentLength {
        case .absent, .exact: return false
        case .conflicting, .invalid: return true
        }
    }

    private static func isMultipart(_ story: DecisionCase) -> Bool {
        story.plain.values(of: "content-type").contains {
            PlainFields.text($0).lowercased().hasPrefix("multipart/byteranges")
        }
    }

    /// Whether the response has one valid tag, and that is not the held one.
    private static func isOtherEntity(_ story: DecisionCase) -> Bool {
        let held: Substring
        switch story.held.validator {
        case .etag(let text): held = text[...]
        case .weakTag(let text): held = text.dropFirst(2)
        case .lastModified, nil: return false
        }
        let tags = Set(story.plain.values(of: "etag"))
        guard tags.count == 1, let tag = tags.first, tag.first == UInt8(ascii: "\""), tag.last == UInt8(ascii: "\""),
            tag.count > 2, !tag.dropFirst().dropLast().contains(where: { $0 <= 0x22 && $0 != 0x21 || $0 == 0x7F })
        else { return false }
        return tag != Array(held.utf8)
    }
}
