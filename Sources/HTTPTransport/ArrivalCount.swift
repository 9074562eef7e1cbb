import Synchronization

/// How many bytes of bodies have come from somewhere since somebody asked last.
package final class ArrivalCount: Sendable {
    private let bytes = Atomic(0)

    package init() {}

    package func note(_ count: Int) { bytes.wrappingAdd(count, ordering: .relaxed) }

    package func take() -> Int { bytes.exchange(0, ordering: .relaxed) }
}
