import SpateHTTPSyntax

extension ResponseJudge {
    /// Why the length of the message is uncertain, or why its body cannot be decoded.
    var framingFault: ResponseFault.Reason? {
        if let coding = head.unaskedTransferCoding { return .transferCoding(String(coding.prefix(40))) }
        switch contentLength {
        case .absent, .exact: return nil
        case .conflicting: return .conflictingLengths
        case .invalid(let text): return .invalidLength(text)
        }
    }

    /// The body's length, if the message states it.
    var statedLength: Int64? {
        guard case .exact(let length) = contentLength else { return nil }
        return length
    }

    /// The total of another source's file that states none: the origin's, if checksums will prove the file.
    var provenTotal: Int64? { limits.hasProof ? limits.originTotal : nil }

    /// The fault if this total differs from the origin's.
    func otherSourceFault(_ total: Int64?) -> ResponseFault.Reason? {
        guard let known = limits.originTotal, known != total else { return nil }
        return .otherSource(.otherTotal)
    }

    /// The fault if the caller does not accept a whole file of this size.
    func sizeFault(_ total: Int64) -> ResponseFault.Reason? {
        if let expected = limits.expectedBytes, expected != total {
            return .otherSize(expected: expected, actual: total)
        }
        return excessFault(total)
    }

    /// The fault if the caller does not accept a file of at least `end` bytes.
    func excessFault(_ end: Int64) -> ResponseFault.Reason? {
        if let expected = limits.expectedBytes, end > expected { return .otherSize(expected: expected, actual: end) }
        if let maximum = limits.maximumBytes, end > maximum { return .tooLarge(maximum: maximum, actual: end) }
        return nil
    }
}
