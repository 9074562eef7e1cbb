/// What programs download from in a race of programs as their users call them. It starts anew for each run, so that no run
/// finds what another one left.
protocol Remote {
    /// - Parameter round: two rounds may differ, two runs of one round may not.
    func start(serving folder: String, round: Int) async throws

    func stop() async throws

    /// The URL of the file of this number in the list.
    func url(_ name: String, number: Int) -> String

    /// The certificate to trust, where that matters.
    var authority: String? { get }

    /// What a command begins with to reach the server.
    var entrance: [String] { get }
}
