/// The wall clock of a world, which a user may set.
// One thread at a time works in a world.
final class WallClock: @unchecked Sendable {
    /// How far it is from the time of the world.
    var skew = Duration.zero
}
