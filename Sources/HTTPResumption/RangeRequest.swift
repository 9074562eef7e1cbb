import SpateHTTPSyntax

/// What to request: the whole entity, perhaps only if it has changed, or the range from an offset to its end.
package enum RangeRequest: Hashable, Sendable {
    /// The whole entity, without a Range field.
    case whole
    /// The whole entity, unless it is still the finished file's.
    indirect case wholeUnless(FinishedEntity)
    /// Everything from an offset on, if the entity still matches `ifRange`.
    ///
    /// If the offset is before the end of the held bytes, the bytes in between are compared.
    case tail(from: Int64, ifRange: EntityValidator?)

    /// How many bytes to compare if no validator proves that the entity is the same.
    package static let overlapLength: Int64 = 64 * 1_024
    /// How many bytes to compare under a strong validator: some servers send a part that begins elsewhere than stated.
    package static let seamLength: Int64 = 4 * 1_024

    /// An attempt's first request, given the bytes on disk and what earlier attempts learnt.
    ///
    /// - Parameter finished: the finished file to replace if the entity has changed. Bytes on disk belong to a newer
    ///   entity and are resumed as usual.
    package static func first(
        for held: HeldBytes,
        history: ResumeHistory = ResumeHistory(),
        unless finished: FinishedEntity? = nil
    ) -> RangeRequest {
        let first = first(for: held, history)
        guard let finished, first == .whole, !history.contains(.unconditional) else { return first }
        return .wholeUnless(finished)
    }

    private static func first(for held: HeldBytes, _ history: ResumeHistory) -> RangeRequest {
        // An attempt without a range ended before its first byte.
        if history.contains(.withoutRange) { return .whole }
        if held.arePieces, held.validator?.strong == nil || history.contains(.plainRange) {
            return .tail(from: held.length, ifRange: nil)
        }
        if held.length == 0 {
            guard held.gapEnd != nil, let validator = held.validator?.strong else { return .whole }
            // The beginning is missing, but If-Range keeps the bytes behind it usable.
            return .tail(from: 0, ifRange: validator)
        }
        // More bytes than the entity has cannot be its start.
        if let total = held.total, held.length > total { return .whole }
        if held.isFromElsewhere {
            guard held.total != nil, case .etag? = held.validator else { return .whole }
            return overlapping(held) ?? .whole
        }
        // Without a strong validator, resume only with an overlap to compare.
        guard let validator = held.validator?.strong else { return overlapping(held) ?? .whole }
        if history.contains(.overlap), let overlap = overlapping(held) { return overlap }
        // If all bytes are already here, a 416 with this length proves it without a body.
        if held.length == held.total { return .tail(from: held.length, ifRange: validator) }
        return endOfHeld(held, ifRange: validator)
    }

    /// A request that begins just before the end of the held bytes, so that the seam is compared.
    static func endOfHeld(_ held: HeldBytes, ifRange validator: EntityValidator) -> RangeRequest {
        .tail(from: max(0, held.length - seamLength), ifRange: validator)
    }

    /// A request whose answer shows whether the held bytes are the whole entity.
    package static func proving(_ held: HeldBytes) -> RangeRequest {
        if let validator = held.validator?.strong { return endOfHeld(held, ifRange: validator) }
        return .tail(from: max(0, held.length - overlapLength), ifRange: nil)
    }

    /// A request that overlaps the held bytes; `nil` if there are so few that requesting everything costs no more.
    static func overlapping(_ held: HeldBytes) -> RangeRequest? {
        guard held.length > overlapLength else { return nil }
        return .tail(from: held.length - overlapLength, ifRange: held.validator?.strong)
    }

    /// The validator to send in If-Range; `nil` to send none.
    package var ifRange: EntityValidator? {
        switch self {
        case .whole, .wholeUnless: nil
        case .tail(_, let validator): validator
        }
    }
}
