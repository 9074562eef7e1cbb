/// What one of our figures may be at most.
struct Target: Sendable, Equatable {
    enum Figure: String, Sendable {
        case wall = "wall time"
        case processor = "processor time"
        case memory
        case fetched = "bytes fetched"
        case switches = "context switches"
    }

    enum Limit: Sendable, Equatable {
        /// Over another entry's figure in the same round; over that of what the scenario compares with if `nil`.
        case ratio(Double, to: Entry?)
        /// The figure itself: seconds, bytes of memory, bytes fetched over the size, switches for each file.
        case absolute(Double)
    }

    let figure: Figure
    let own: Entry
    let limit: Limit

    init(_ figure: Figure, of own: Entry, to other: Entry?, _ most: Double) {
        (self.figure, self.own, limit) = (figure, own, .ratio(most, to: other))
    }

    init(_ figure: Figure, of own: Entry, atMost most: Double) {
        (self.figure, self.own, limit) = (figure, own, .absolute(most))
    }

    /// In a line: `spate -x 8: wall time 0.97 of aria2c -x 8's, at most 1.00: met`, or
    /// `spate: memory 38.1 MiB, at most 40 MiB: met`. `nil` where one did not run.
    func line(for result: ScenarioResult) -> String? {
        switch limit {
        case .ratio(let most, let other):
            guard let peer = other?.name ?? Comparison(result).reference, let ratio = ratio(to: peer, in: result) else {
                return nil
            }
            return line("\(QuantityText.ratio(ratio)) of \(peer)'s", QuantityText.ratio(most), isMet: ratio <= most)
        case .absolute(let most):
            guard let value = runs(of: own.name, in: result).compactMap({ value(of: $0, in: result) }).median else {
                return nil
            }
            return line(text(value) + unit, text(most), isMet: value <= most)
        }
    }

    private func line(_ value: String, _ most: String, isMet: Bool) -> String {
        "\(own.name): \(figure.rawValue) \(value), at most \(most): " + (isMet ? "met" : "missed")
    }

    /// The median of the rounds' ratios.
    private func ratio(to other: String, in result: ScenarioResult) -> Double? {
        let others = runs(of: other, in: result)
        return runs(of: own.name, in: result).compactMap { run in
            guard let other = others.first(where: { $0.round == run.round }), let own = value(of: run, in: result),
                let peer = value(of: other, in: result)
            else { return nil }
            return own / peer
        }.median
    }

    private func runs(of program: String, in result: ScenarioResult) -> [ScenarioResult.Run] {
        result.runs.filter { $0.program == program }
    }

    private func value(of run: ScenarioResult.Run, in result: ScenarioResult) -> Double? {
        switch figure {
        case .wall: run.cost.wallSeconds
        case .processor: run.cost.processorSeconds
        case .memory: Double(run.cost.peakBytes)
        case .fetched: result.servedRatio(of: run)
        case .switches: result.switchesPerFile(of: run)
        }
    }

    private func text(_ value: Double) -> String {
        switch figure {
        case .wall, .processor: QuantityText.seconds(value)
        case .memory: QuantityText.bytes(Int(value))
        case .fetched: QuantityText.fineRatio(value)
        case .switches: QuantityText.ratio(value)
        }
    }

    /// What follows our figure, and is not said again of the limit.
    private var unit: String {
        switch figure {
        case .fetched: " of the size"
        case .switches: " a file"
        case .wall, .processor, .memory: ""
        }
    }
}
