/// A line between two machines, alike in both directions.
struct Line: Sendable, Equatable {
    /// What may wait at the slower end before packets are dropped. It is about what the lines here hold themselves.
    static let queueBytes = 1 << 20
    /// What people must know to judge figures of lines.
    static let conditions = """
        The sender's congestion control is CUBIC. A queue of \(QuantityText.bytes(queueBytes)) waits at each end. Of each \
        round's packets, those with the same numbers are lost for all programs.
        """

    let roundTripMilliseconds: Double
    let megabitsPerSecond: Double
    /// Of the packets of each direction.
    var lossPercent = 0.0

    /// `80 ms, 200 Mbit/s, 0.05 % loss`.
    var words: String {
        func text(_ number: Double) -> String { number == number.rounded() ? "\(Int(number))" : "\(number)" }
        let loss = lossPercent > 0 ? ", \(text(lossPercent)) % loss" : ""
        return "\(text(roundTripMilliseconds)) ms, \(text(megabitsPerSecond)) Mbit/s" + loss
    }
}
