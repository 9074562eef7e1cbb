/// A program that downloads, as it is called.
enum Contestant: String, CaseIterable, Sendable {
    case spate, curl, aria2c, wget2
    /// What Foundation gives: a small program of this package.
    case baseline = "urlsession-baseline"

    /// Whether it lies beside this program, having been built with it.
    var isOwn: Bool { self == .spate || self == .baseline }

    /// Whether its files are on the medium when it has ended.
    var flushesItself: Bool { self == .spate }

    /// Why it cannot do this work at all; `nil` where it can.
    func obstacle(to scenario: Scenario) -> String? {
        switch (self, scenario.kind) {
        case (.spate, .queue): nil
        case (_, .queue): "it has no library to enqueue with"
        case (.baseline, _) where scenario.isSecured: "it cannot be told whom to trust"
        default: nil
        }
    }
}
