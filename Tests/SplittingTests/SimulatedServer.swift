import Foundation
import SpateTestSupport

@testable import SpateHTTPResumption
@testable import SpateSplitting

/// A server and the line to it, in a plan's simulation. Bytes per second, and seconds.
struct SimulatedServer {
    var size: Int64 = 64 << 20
    /// Until the first byte of a response.
    var latency = 0.01
    /// The most that one connection gets, and all together.
    var speed = 8e6
    var line = 1e12
    /// How many of its packets the line loses. Then each connection sends what its ``CongestionWindow`` allows.
    var loss = 0.0
    /// Whether the speed changes, up and down.
    var varies = false
    /// One connection of five gets a fiftieth of the speed.
    var crawls = false
    /// More connections than these are refused, in the given way.
    var mostConnections = Int.max
    var refusal = SegmentPlan.End.failed
    /// A connection is cut after about so many bytes.
    var cutAfter: Int64?
    /// How often a connection brings no more bytes from some moment on.
    var stalls = 0.0

    /// A new connection must be opened first.
    var firstAnswer: Double { loss > 0 ? latency * 2 : latency }

    /// A connection that brings nothing for so long has failed. Settings of a user, in other words.
    static let stallTimeout = 1.0
    static let retryDelay = 0.25

    init() {}

    init(_ random: inout SeededRandom) {
        size = Int64(random.logarithmic(1_048_576, 2_147_483_648))
        latency = random.logarithmic(0.003, 0.3)
        speed = random.logarithmic(0.3e6, 60e6)
        line = speed * [1, 1.2, 2, 4, 8, 16][Int(random.next() % 6)]
        varies = random.chance(0.3)
        switch random.next() % 10 {
        case 0: crawls = size > 10 << 20
        case 1: mostConnections = 1 + Int(random.next() % 3)
        case 2: (mostConnections, refusal) = (1 + Int(random.next() % 3), .busy(retryAfter: .seconds(1)))
        case 3: cutAfter = max(4 << 20, size / 2)
        case 4: stalls = 0.1
        case 5: (mostConnections, refusal) = (1, .useless)
        default: break
        }
    }

    /// The speed of a connection of this age, as far as the connection decides it: it begins slowly.
    func ramp(_ age: Double) -> Double {
        age >= 12 * latency ? .infinity : 64e3 / latency * pow(2, age / latency)
    }
}

extension SeededRandom {
    mutating func fraction() -> Double { .random(in: 0..<1, using: &self) }

    mutating func chance(_ probability: Double) -> Bool { fraction() < probability }

    /// Any order of magnitude between the two is as likely as any other.
    mutating func logarithmic(_ least: Double, _ most: Double) -> Double { least * pow(most / least, fraction()) }
}
