/// What a person pressed, as far as it means something here.
enum Key: Equatable {
    case up, down
    /// Escape alone.
    case escape
    case character(Character)
}
