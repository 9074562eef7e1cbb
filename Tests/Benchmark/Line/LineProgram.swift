import CLine
import Glibc

/// `line carry ROUND_TRIP_MS MEGABITS LOSS_PERCENT QUEUE_BYTES SEED HOSTS`: makes two network namespaces, joins them by a
/// line, and carries packets until it gets SIGTERM or its parent has ended. It first prints a line of words: `ready`, and
/// the paths of the user namespace and of the two ends, the client's and the server's. In the end it prints what became of
/// the packets. The namespaces go away with it and with what runs in them.
///
/// `line enter USER_NAMESPACE NETWORK_NAMESPACE PROGRAM ARGUMENT…`: becomes the program, at one end of such a line.
@main
enum LineProgram {
    static func main() {
        let words = CommandLine.arguments.dropFirst()
        do throws(LineFailure) {
            switch words.first {
            case "carry": try carry(words.dropFirst().compactMap { Double($0) })
            case "enter" where words.count >= 4: try Entrance.enter(Array(words.dropFirst()))
            default: throw LineFailure(reason: "usage: line carry NUMBER…, or line enter NAMESPACE NAMESPACE PROGRAM…")
            }
        } catch {
            say(error.reason, to: STDERR_FILENO)
            exit(125)
        }
    }

    private static func carry(_ numbers: [Double]) throws(LineFailure) {
        guard numbers.count == 6 else { throw LineFailure(reason: "line carry takes six numbers") }
        let direction = { (seed: UInt64) in
            Direction(
                delayNanoseconds: UInt64(numbers[0] / 2 * 1e6),
                bitsPerSecond: numbers[1] * 1e6,
                loss: numbers[2] / 100,
                queueBytes: Int(numbers[3]),
                seed: seed
            )
        }
        let termination = line_termination()
        guard termination >= 0 else { throw LineFailure("signalfd") }
        let ends = try LineEnds(hosts: Int(numbers[5]))
        let seed = UInt64(numbers[4]) * 2
        var carrier = Carrier(
            from: ends.client.tun,
            to: ends.server.tun,
            requests: direction(seed),
            responses: direction(seed + 1),
            termination: termination
        )
        let own = "/proc/\(getpid())"
        say(
            "ready \(own)/ns/user \(own)/fd/\(ends.client.namespace) \(own)/fd/\(ends.server.namespace)",
            to: STDOUT_FILENO
        )
        carrier.run()
        say("\(carrier.counts)", to: STDOUT_FILENO)
    }

    private static func say(_ text: String, to descriptor: Int32) {
        var bytes = Array((text + "\n").utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }
}

/// Why there is no line.
struct LineFailure: Error {
    let reason: String

    init(reason: String) {
        self.reason = reason
    }

    /// Takes the number from `errno`, so make it right after the call.
    init(_ call: String, advice: String = "") {
        let said = String(cString: strerror(errno))
        reason = "\(call): \(said)" + (advice.isEmpty ? "" : "; \(advice)")
    }
}
