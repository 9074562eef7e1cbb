/// The meaning of keys: each changes the model, or returns a command for the run.
enum LiveKeys {
    static func press(_ key: Key, _ model: inout LiveModel) -> RunCommand? {
        if case .deletion(let number) = model.notice {
            // Every other key means no.
            model.notice = nil
            return key == .character("y") ? .delete(number) : nil
        }
        switch key {
        case .up, .character("k"): model.select(by: -1)
        case .down, .character("j"): model.select(by: 1)
        case .character("?"): model.notice = model.notice == .help ? nil : .help
        case .escape: model.notice = nil
        case .character(" "): return target(&model).map { $0.phase == .paused ? .resume($0.number) : .pause($0.number) }
        case .character("x"): return target(&model).map { .cancel($0.number) }
        case .character("d"): model.notice = target(&model).map { .deletion($0.number) }
        case .character("+"): return .changeJobs(1)
        case .character("-"): return .changeJobs(-1)
        case .character("a"): return .findJobs
        case .character("<"): return .changeRate(.lower)
        case .character(">"): return .changeRate(.higher)
        case .character("="): return .changeRate(.unlimited)
        case .character("P"): return model.isActive ? .pauseAll : .resumeAll
        case .character("q"): return .quit
        default: break
        }
        return nil
    }

    /// The selected download, or the only one. If there are several and none is selected, the key only selects one.
    private static func target(_ model: inout LiveModel) -> LiveModel.Entry? {
        if let selected = model.selected { return model[selected] }
        if model.entries.count == 1 { return model.entries.first }
        model.select(by: 1)
        return nil
    }
}

/// A row of the help about keys.
package struct KeyHelp: Sendable {
    /// A setting that the keys change.
    package enum Setting: Sendable {
        case jobs, rateLimit
    }

    /// `j k, arrows`
    package let keys: String
    package let meaning: String
    /// The setting whose value the live display can show in the row.
    package let setting: Setting?

    private init(_ keys: String, _ meaning: String, _ setting: Setting? = nil) {
        (self.keys, self.meaning, self.setting) = (keys, meaning, setting)
    }

    /// The keys of `LiveKeys`, in the order of the help.
    package static let all = [
        KeyHelp("j k, arrows", "select a download; those that wait follow"),
        KeyHelp("space", "pause or resume it"),
        KeyHelp("x", "cancel, keep partial file"),
        KeyHelp("d", "delete its files"),
        KeyHelp("+ - a", "more or fewer at once, or automatic", .jobs),
        KeyHelp("< > =", "slower, faster, full speed", .rateLimit),
        KeyHelp("P", "pause or resume all"),
        KeyHelp("q", "quit, keep partial files"),
        KeyHelp("?", "show or hide this help"),
    ]
}

/// A command from the keyboard. Downloads are identified by their numbers in the run.
package enum RunCommand: Equatable {
    case pause(Int), resume(Int), cancel(Int), delete(Int)
    /// Adds to the number of slots.
    case changeJobs(Int)
    /// Finds the number of slots automatically.
    case findJobs
    /// Changes the rate limit of all downloads together.
    case changeRate(RateStep)
    case pauseAll, resumeAll
    case quit
}
