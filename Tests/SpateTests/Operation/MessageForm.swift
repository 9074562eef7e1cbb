extension String {
    /// Whether it ends as a sentence does and fits on one line.
    var isSentence: Bool {
        count > 10 && hasSuffix(".") && !hasSuffix("..") && !unicodeScalars.contains { $0.value < 0x20 }
    }
}
