import Foundation

/// A line in this machine: two network namespaces that only a process of ours joins. They go away with this object.
final class LineLink: Sendable {
    /// What became of the packets of both directions.
    struct Counts: Equatable {
        let carried: Int
        let lost: Int
        let dropped: Int
    }

    static func serverAddresses(_ count: Int) -> [String] { (0..<count).map { "198.18.0.\($0 + 2)" } }

    private let carrier: Child
    private let program: String
    /// Paths of the user namespace and of the network namespaces of the two ends.
    private let user: String
    private let client: String
    private let server: String

    /// - Parameters:
    ///   - seed: that of the losses.
    ///   - hosts: how many addresses the server has.
    /// - Throws: `LineObstacle` where this machine cannot have one.
    init(_ line: Line, seed: Int = 0, hosts: Int = 1) async throws {
        program = try ProgramPath.built("line")
        let numbers = [line.roundTripMilliseconds, line.megabitsPerSecond, line.lossPercent]
        carrier = try Child(
            program,
            ["carry"] + numbers.map { "\($0)" } + ["\(Line.queueBytes)", "\(seed)", "\(hosts)"]
        )
        while !carrier.output.contains("\n") {
            guard carrier.isRunning else {
                throw LineObstacle(reason: carrier.errors.trimmingCharacters(in: .whitespacesAndNewlines))
            }
            try await Task.sleep(for: .milliseconds(2))
        }
        let words = carrier.output.split(whereSeparator: \.isWhitespace).map(String.init)
        guard words.count >= 4, words[0] == "ready" else { throw WorkFailure("line said \(carrier.output)") }
        (user, client, server) = (words[1], words[2], words[3])
    }

    /// What a command begins with to run at the client's end.
    var clientEntrance: [String] { [program, "enter", user, client] }

    /// The same at the server's end.
    var serverEntrance: [String] { [program, "enter", user, server] }

    var pid: Int32 { carrier.pid }

    /// Ends the line. Programs that still run at its ends reach nobody any more.
    @discardableResult
    func end() async throws -> Counts {
        carrier.terminate()
        let status = try await carrier.end()
        let numbers = carrier.output.split(separator: "\n").last?.split(separator: " ").compactMap { Int($0) } ?? []
        guard status == 0, numbers.count == 3 else { throw WorkFailure("line ended with \(status): \(carrier.errors)") }
        return Counts(carried: numbers[0], lost: numbers[1], dropped: numbers[2])
    }
}

/// Why this machine cannot have a line.
struct LineObstacle: Error {
    let reason: String
}
