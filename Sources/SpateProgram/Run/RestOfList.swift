/// The part of a list that has not been read yet.
enum RestOfList {
    case waiting(URLListReader), beingRead, none

    var isNone: Bool { if case .none = self { true } else { false } }
}
