/// What one of our figures may be at most, over another's.
struct Target: Sendable, Equatable {
    enum Figure: String, Sendable {
        case wall = "wall time", processor = "processor time", fetched = "bytes fetched"
    }

    let figure: Figure
    let own: Entry
    /// `nil` is the best other program, or for the bytes fetched the file's size.
    let other: Entry?
    let most: Double

    init(_ figure: Figure, of own: Entry, to other: Entry?, _ most: Double) {
        (self.figure, self.own, self.other, self.most) = (figure, own, other, most)
    }

    /// In a line: `spate -x 8: wall time 0.97 of aria2c -x 8's, at most 1.00: met`. `nil` where one did not run.
    func line(for result: ScenarioResult) -> String? {
        let name = other?.name ?? Comparison(result).bestPeer
        let share =
            figure == .fetched
            ? Comparison(result).rows.first { $0.program == own.name }?.servedRatio
            : name.flatMap { ratio(to: $0, in: result) }
        guard let share else { return nil }
        let whose = figure == .fetched ? "the size" : "\(name ?? "")'s"
        let said = figure == .fetched ? QuantityText.fineRatio : QuantityText.ratio
        return "\(own.name): \(figure.rawValue) \(said(share)) of \(whose), at most \(said(most)): "
            + (share <= most ? "met" : "missed")
    }

    /// The median of the rounds' ratios.
    private func ratio(to other: String, in result: ScenarioResult) -> Double? {
        let others = result.runs.filter { $0.program == other }
        return result.runs.filter { $0.program == own.name }.compactMap { run in
            others.first { $0.round == run.round }.map { value(run.cost) / value($0.cost) }
        }.median
    }

    private func value(_ cost: RunCost) -> Double {
        figure == .processor ? cost.processorSeconds : cost.wallSeconds
    }
}
