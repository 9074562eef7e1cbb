/// What a key means at the moment: a change of what is shown, or something asked of the run.
enum LiveKeys {
    static func press(_ key: Key, _ model: inout LiveModel) -> RunCommand? {
        if case .deletion(let number) = model.notice {
            // Anything but a yes is a no.
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
        case .character("P"): return model.goesOn ? .pauseAll : .resumeAll
        case .character("q"): return .quit
        default: break
        }
        return nil
    }

    /// The chosen download. Where none is, a key that would do something to it does so to the only one, or else chooses
    /// one for the next key.
    private static func target(_ model: inout LiveModel) -> LiveModel.Entry? {
        if let selected = model.selected { return model[selected] }
        if model.entries.count == 1 { return model.entries.first }
        model.select(by: 1)
        return nil
    }
}
