import Foundation
import SpateTestSupport

/// How much a connection has on its way, as CUBIC would have it.
struct CongestionWindow {
    private static let packet = 1448.0
    private static let (scale, decrease) = (0.4, 0.7)
    /// After so long without a packet it begins anew.
    private static let memory = 0.3

    private let roundTrip: Double
    private let loss: Double
    /// In packets.
    private var size = 10.0
    /// Whether it still doubles in a round trip.
    private var isStarting = true
    /// The size before the last loss, and the time since.
    private var (largest, age) = (0.0, 0.0)
    /// How long nothing comes, for a packet is missing. What came behind it comes with it.
    private var (gap, kept) = (0.0, 0.0)

    init(roundTrip: Double, loss: Double) { (self.roundTrip, self.loss) = (roundTrip, loss) }

    /// Nothing was to be sent for a while.
    mutating func rest(_ seconds: Double) {
        if seconds > Self.memory { (size, isStarting) = (10, true) }
    }

    /// The most bytes that it brings in a step of time, if the line has room.
    func bytes(in step: Double) -> Double { size * Self.packet / roundTrip * step }

    /// - Parameter sent: how many bytes were sent in a step.
    /// - Returns: how many of them can be read.
    mutating func move(_ sent: Double, in step: Double, _ random: inout SeededRandom) -> Double {
        age += step
        if isStarting {
            size *= pow(2, step / roundTrip)
            isStarting = largest == 0 || size < largest
        } else {
            let turn = cbrt(largest * (1 - Self.decrease) / Self.scale)
            size = max(size, Self.scale * pow(age - turn, 3) + largest)
        }
        kept += sent
        gap = max(0, gap - step)
        if random.chance(1 - pow(1 - loss, sent / Self.packet)), gap == 0 {
            (largest, age, isStarting, gap) = (size, 0, false, roundTrip)
            size = max(2, size * Self.decrease)
        }
        guard gap == 0 else { return 0 }
        defer { kept = 0 }
        return kept
    }
}
