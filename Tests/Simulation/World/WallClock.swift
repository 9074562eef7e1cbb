/// The wall clock of a world, which a user may set.
// One thread at a time works in a world.
final class WallClock: @unchecked Sendable {
    /// How far it is from the time of the world.
    var skew = Duration.zero
}

extension World {
    /// Somebody sets the clock, forward or back.
    func planClock() {
        guard traits.setsClock else { return }
        for _ in 0..<4 { timeline.after(timeline.time(upTo: traits.faultTime)) { [self] in setClock() } }
    }

    private func setClock() {
        let longest = timeline.pick([Duration.seconds(2), .seconds(3_600), .seconds(3_600 * 24 * 30)])
        wallClock.skew = timeline.time(upTo: longest) - longest / 2
        timeline.note("the clock is set by \(wallClock.skew)")
    }
}
