extension ResponseJudge {
    /// 7, 9: a message whose length cannot be told, or whose body is something else than the file's bytes.
    var framingFault: ResponseFault.Reason? {
        if let coding = head.unaskedTransferCoding { return .transferCoding(String(coding.prefix(40))) }
        switch contentLength {
        case .absent, .exact: return nil
        case .conflicting: return .conflictingLengths
        case .invalid(let text): return .invalidLength(text)
        }
    }

    /// The body's length as the message states it.
    var statedLength: Int64? {
        guard case .exact(let length) = contentLength else { return nil }
        return length
    }

    /// Whether the caller refuses a whole of this size (18).
    func sizeFault(_ total: Int64) -> ResponseFault.Reason? {
        if let expected = limits.expectedBytes, expected != total {
            return .otherSize(expected: expected, actual: total)
        }
        return excessFault(total)
    }

    /// Whether a file that is known to reach this far reaches too far.
    func excessFault(_ end: Int64) -> ResponseFault.Reason? {
        if let expected = limits.expectedBytes, end > expected { return .otherSize(expected: expected, actual: end) }
        if let maximum = limits.maximumBytes, end > maximum { return .tooLarge(maximum: maximum, actual: end) }
        return nil
    }
}
