import Foundation
import SpateSimulation

/// Plays worlds: see Documentation/Simulation.md.
@main enum SimulationProgram {
    static func main() {
        do {
            let arguments = try Arguments(Array(CommandLine.arguments.dropFirst()))
            try startAgain()
            // What a process makes once should not be made in the middle of a thread's work.
            if arguments.usesThreads { _ = World(seed: 0).run() }
            switch arguments.work {
            case .help: print(Arguments.help)
            case .one(let seed): exit(play(seed, arguments))
            case .shrink(let seed): exit(shrink(seed, arguments))
            case .part(let part): Worker(part, arguments).run()
            case .all(let seeds): exit(try Workers(seeds, arguments).run())
            }
        } catch {
            FileHandle.standardError.write(Data("spate-simulation: \(error)\n".utf8))
            exit(2)
        }
    }

    /// The order of sets and dictionaries must be the same in each run: the program starts itself again with that said.
    private static func startAgain() throws {
        let name = "SWIFT_DETERMINISTIC_HASHING"
        if getenv(name) != nil { return }
        setenv(name, "1", 1)
        // The heap keeps its memory: the next world needs as much.
        setenv("MALLOC_MMAP_THRESHOLD_", "67108864", 1)
        setenv("MALLOC_TRIM_THRESHOLD_", "536870912", 1)
        var arguments: [UnsafeMutablePointer<CChar>?] = CommandLine.arguments.map { strdup($0) }
        arguments.append(nil)
        execv("/proc/self/exe", &arguments)
        throw Arguments.Fault("the program cannot start itself again: \(String(cString: strerror(errno)))")
    }

    private static func play(_ seed: UInt64, _ arguments: Arguments) -> CInt {
        let world = arguments.world(seed)
        if arguments.isVerbose { world.print { print($0) } } else { world.keepTrace(40) }
        guard let failure = world.run() else {
            print("seed \(seed): nothing was wrong (\(world.summary))")
            return 0
        }
        for line in world.lastLines { print(line) }
        print("seed \(seed): \(failure)")
        return 1
    }

    /// Takes faults out of a world as long as it still fails.
    private static func shrink(_ seed: UInt64, _ arguments: Arguments) -> CInt {
        func play(without forbidden: Set<NetworkFault>) -> String? {
            arguments.world(seed, forbidding: forbidden).run()
        }
        guard let first = play(without: []) else {
            print("seed \(seed): nothing was wrong")
            return 0
        }
        print("seed \(seed): \(first)")
        var forbidden: Set<NetworkFault> = []
        var failure = first
        for fault in NetworkFault.allCases {
            guard let other = play(without: forbidden.union([fault])) else { continue }
            forbidden.insert(fault)
            failure = other
        }
        let left = NetworkFault.allCases.filter { !forbidden.contains($0) }
        print("with these faults alone it still fails: \(left.map(\.rawValue).joined(separator: " "))")
        print(failure)
        let names = forbidden.map(\.rawValue).sorted().joined(separator: ",")
        let way = arguments.usesThreads ? " --threads" : ""
        print("again: spate-simulation --seed \(seed)\(way) --verbose --without \(names)")
        return 1
    }
}
