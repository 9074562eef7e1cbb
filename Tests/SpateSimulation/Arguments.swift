import Foundation
import SpateSimulation

/// What the program was asked to do.
struct Arguments {
    enum Work {
        case help
        case all(ClosedRange<UInt64>)
        case one(UInt64)
        case shrink(UInt64)
        /// What a worker does for the program that has started it.
        case part(Part)
    }

    /// Every so many seeds of a range.
    struct Part {
        var seeds: ClosedRange<UInt64>
        var stride: UInt64
    }

    struct Fault: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    static let help = """
        usage: spate-simulation --seeds 1-1000000 [--threads] [--keep FILE] [--stop] [--verbose]
                                [--meetings]
               spate-simulation --seed N [--threads] [--verbose] [--without FAULT,…]
               spate-simulation --seed N [--threads] --shrink

        Plays worlds of downloads, each from one number. A failure prints its seed.

          --seeds A-B   plays these, on all cores
          --keep FILE   notes how far it is, and goes on from there the next time
          --stop        ends with the first failure
          --meetings    counts in how many worlds each kind of line met a pause, a kill and the like
          --threads     has jobs run on threads, of which one at a time goes on
          --seed N      plays one, and prints the end of its trace if it fails
          --verbose     prints all of its trace; of several worlds, a line each
          --without …   leaves these faults out of the world
          --with …      adds these, which no world has otherwise
          --shrink      leaves out as many faults as the failure does not need
        """

    var work = Work.help
    var usesThreads = false
    var isVerbose = false
    var stopsAtFirst = false
    var countsMeetings = false
    var forbidden: Set<NetworkFault> = []
    var faults = WorldFault.usual
    var progressFile: String?

    init(_ words: [String]) throws {
        let isEmpty = words.isEmpty
        var words = words[...]
        var (seed, seeds, stride, shrinks) = (UInt64?.none, ClosedRange<UInt64>?.none, UInt64?.none, false)
        func value(of option: String) throws -> String {
            guard let value = words.popFirst() else { throw Fault("\(option) needs a value") }
            return value
        }
        while let word = words.popFirst() {
            switch word {
            case "--help", "-h": return
            case "--seed": seed = try Self.number(try value(of: word))
            case "--seeds": seeds = try Self.range(try value(of: word))
            case "--stride": stride = try Self.number(try value(of: word))
            case "--keep": progressFile = try value(of: word)
            case "--threads": usesThreads = true
            case "--verbose": isVerbose = true
            case "--shrink": shrinks = true
            case "--stop": stopsAtFirst = true
            case "--meetings": countsMeetings = true
            case "--without":
                for name in try value(of: word).split(separator: ",") {
                    guard let fault = NetworkFault(rawValue: String(name)) else {
                        throw Fault("no such fault: \(name); there are \(NetworkFault.allCases.map(\.rawValue))")
                    }
                    forbidden.insert(fault)
                }
            case "--with":
                for name in try value(of: word).split(separator: ",") {
                    guard let fault = WorldFault(rawValue: String(name)) else {
                        throw Fault("no such fault: \(name); there are \(WorldFault.allCases.map(\.rawValue))")
                    }
                    faults.insert(fault)
                }
            default: throw Fault("unknown: \(word); see --help")
            }
        }
        if let seed {
            work = shrinks ? .shrink(seed) : .one(seed)
        } else if let seeds {
            work = if let stride { .part(Part(seeds: seeds, stride: max(1, stride))) } else { .all(seeds) }
        } else if !isEmpty {
            throw Fault("say which worlds: --seed N or --seeds A-B")
        }
    }

    func world(_ seed: UInt64, forbidding others: Set<NetworkFault> = []) -> World {
        World(seed: seed, onThreads: usesThreads, forbidding: forbidden.union(others), with: faults)
    }

    private static func number(_ text: String) throws -> UInt64 {
        guard let number = UInt64(text) else { throw Fault("not a number: \(text)") }
        return number
    }

    private static func range(_ text: String) throws -> ClosedRange<UInt64> {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let first = UInt64(parts[0]), let last = UInt64(parts[1]), first <= last else {
            throw Fault("not a range such as 1-1000: \(text)")
        }
        return first...last
    }
}
