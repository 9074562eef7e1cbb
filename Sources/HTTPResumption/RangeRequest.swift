/// What a request asks for.
package enum RangeRequest: Hashable, Sendable {
    /// The whole entity, without a range.
    case whole
    /// What begins at an offset, on the condition that the entity is still the one of `ifRange`.
    ///
    /// Where the offset lies before the end of what is held, the bytes between are there to be compared.
    case tail(from: Int64, ifRange: EntityValidator?)

    /// How many bytes are compared where no validator proves that two entities are the same.
    package static let overlapLength: Int64 = 64 * 1_024

    /// What an attempt asks first, given what is on disk and what earlier attempts learnt.
    package static func first(for held: HeldBytes, history: ResumeHistory = ResumeHistory()) -> RangeRequest {
        if held.length == 0 { return .whole }
        // 43: what is longer than its whole is something else.
        if let total = held.total, held.length > total { return .whole }
        // 39, 40
        guard let validator = held.validator else { return overlapping(held) ?? .whole }
        if history.contains(.overlap), let overlap = overlapping(held) { return overlap }
        // 20, and 44: all is here, and a 416 that names this length proves it without a body.
        return .tail(from: held.length, ifRange: validator)
    }

    /// The question whose answer overlaps what is held; `nil` when so little is held that asking for all is no dearer.
    static func overlapping(_ held: HeldBytes) -> RangeRequest? {
        guard held.length > overlapLength else { return nil }
        return .tail(from: held.length - overlapLength, ifRange: held.validator)
    }

    /// What the request's If-Range carries; `nil` for none.
    package var ifRange: EntityValidator? {
        switch self {
        case .whole: nil
        case .tail(_, let validator): validator
        }
    }
}
