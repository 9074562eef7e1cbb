import Testing

/// Waits for what a test expects of other processes.
enum Waiting {
    /// Fails the test if it is not so after a minute.
    static func until(sourceLocation: SourceLocation = #_sourceLocation, _ isSo: () -> Bool) async {
        let end = ContinuousClock.now + .seconds(60)
        while !isSo(), ContinuousClock.now < end { try? await Task.sleep(for: .milliseconds(20)) }
        #expect(isSo(), sourceLocation: sourceLocation)
    }
}
