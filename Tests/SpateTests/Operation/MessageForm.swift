extension String {
    /// Whether it ends like a sentence and is one line.
    var isSentence: Bool {
        count > 10 && hasSuffix(".") && !hasSuffix("..") && !unicodeScalars.contains { $0.value < 0x20 }
    }
}
