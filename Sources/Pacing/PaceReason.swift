extension Pace {
    /// Why the limit has changed.
    package enum Reason: Sendable {
        /// Small files are answered, and others wait.
        case answers
        /// The last step has brought more.
        case gain
        /// Fewer may be as fast.
        case fewer
        /// Fewer were slower.
        case slower
        /// Whether a few more bring something by now.
        case probe
        /// A few more brought nothing.
        case noGain
        /// With more, at most half of the former rate was left. See ``CollapseWatch``.
        case collapse
        /// It was right before.
        case known
    }
}
