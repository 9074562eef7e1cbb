/// One line of the live display.
struct ScreenLine: Equatable {
    /// With what colours it; never with a line break.
    var text: String
    /// How many columns it takes.
    var columns: Int
}
