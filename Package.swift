// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Spate",
    products: [
        .library(name: "Spate", targets: ["Spate"]),
        .executable(name: "spate", targets: ["SpateProgram"]),
    ],
    targets: [
        // The library, lowest first. Each target depends only on targets above it.
        .target(name: "CSystem"),
        .target(name: "CCurl", linkerSettings: [.linkedLibrary(":libcurl.so.4", .when(platforms: [.linux]))]),
        .target(name: "CCrypto"),
        .target(name: "Locking"),
        .target(name: "Timing", dependencies: ["Locking"]),
        .target(name: "ExtendedAttributes", dependencies: ["CSystem"]),
        .target(name: "HTTPSyntax"),
        .target(name: "Metalinks", dependencies: ["HTTPSyntax"]),
        .target(name: "HTTPResumption", dependencies: ["HTTPSyntax"]),
        .target(name: "Hosts", dependencies: ["HTTPSyntax"]),
        .target(name: "Splitting", dependencies: ["HTTPResumption", "Hosts", "Timing"]),
        .target(name: "FileSystemCalls", dependencies: ["CSystem", "ExtendedAttributes", "Locking", "Timing"]),
        .target(
            name: "PartialFiles",
            dependencies: [
                "CSystem", "ExtendedAttributes", "FileSystemCalls", "HTTPResumption", "HTTPSyntax", "Locking", "Timing",
            ]
        ),
        .target(name: "QueueJournals", dependencies: ["FileSystemCalls", "HTTPSyntax", "PartialFiles", "Timing"]),
        .target(name: "HTTPTransport", dependencies: ["CCurl", "CSystem", "HTTPSyntax", "Locking"]),
        .target(
            name: "Spate",
            dependencies: [
                "CCrypto", "FileSystemCalls", "HTTPResumption", "HTTPSyntax", "HTTPTransport", "Locking",
                "Metalinks", "PartialFiles", "Hosts", "QueueJournals", "Splitting", "Timing",
            ]
        ),

        // Programs use only the public API. `spate` has three targets, so that the demo and the rest stay apart.
        .target(name: "SpateConsole", dependencies: ["Spate"]),
        .target(name: "SpateDemo", dependencies: ["Spate", "SpateConsole"]),
        .target(name: "CMalloc"),
        .target(name: "CSpawn"),
        .executableTarget(
            name: "SpateProgram",
            dependencies: ["CMalloc", "CSpawn", "Spate", "SpateConsole", "SpateDemo"]
        ),
        .executableTarget(name: "Quickstart", dependencies: ["Spate"], path: "Examples/Quickstart"),
        .executableTarget(name: "Batch", dependencies: ["Spate"], path: "Examples/Batch"),
        .executableTarget(name: "PauseAndResume", dependencies: ["Spate"], path: "Examples/PauseAndResume"),
        .executableTarget(name: "Operations", dependencies: ["Spate"], path: "Examples/Operations"),
        // Also a separate package, to show its manifest.
        .executableTarget(name: "Fetch", dependencies: ["Spate"], path: "Examples/CommandLine/Sources/Fetch"),

        // Tests: a target for each target above, and their shared support.
        .target(name: "CTestSystem", path: "Tests/CTestSystem"),
        .target(name: "CTestTLS", path: "Tests/CTestTLS"),
        .target(
            name: "TestSupport",
            dependencies: ["CSystem", "CTestSystem", "CTestTLS", "Locking", "Spate", "Timing"],
            path: "Tests/TestSupport"
        ),
        .testTarget(name: "TestSupportTests", dependencies: ["TestSupport"]),
        .testTarget(name: "LockingTests", dependencies: ["Locking"]),
        .testTarget(name: "ExtendedAttributesTests", dependencies: ["ExtendedAttributes", "TestSupport"]),
        .testTarget(name: "HTTPSyntaxTests", dependencies: ["HTTPSyntax", "TestSupport"]),
        .testTarget(name: "MetalinksTests", dependencies: ["HTTPSyntax", "Metalinks"], exclude: ["Samples"]),
        .testTarget(name: "HostsTests", dependencies: ["Hosts", "HTTPSyntax"]),
        .testTarget(
            name: "SplittingTests",
            dependencies: ["HTTPResumption", "Hosts", "Splitting", "TestSupport", "Timing"]
        ),
        .testTarget(name: "HTTPResumptionTests", dependencies: ["HTTPResumption", "HTTPSyntax", "TestSupport"]),
        .testTarget(
            name: "FileSystemCallsTests",
            dependencies: ["ExtendedAttributes", "FileSystemCalls", "Locking", "TestSupport"]
        ),
        .testTarget(
            name: "PartialFilesTests",
            dependencies: [
                "CSystem", "ExtendedAttributes", "FileSystemCalls", "HTTPResumption", "HTTPSyntax", "Locking",
                "PartialFiles", "TestSupport", "Timing",
            ]
        ),
        .testTarget(
            name: "QueueJournalsTests",
            dependencies: [
                "CSystem", "FileSystemCalls", "HTTPSyntax", "Locking", "PartialFiles", "QueueJournals", "TestSupport",
            ]
        ),
        .testTarget(
            name: "HTTPTransportTests",
            dependencies: ["CSystem", "HTTPResumption", "HTTPSyntax", "HTTPTransport", "TestSupport"]
        ),
        .testTarget(
            name: "SpateTests",
            dependencies: [
                "CSystem", "FileSystemCalls", "HTTPResumption", "HTTPSyntax", "HTTPTransport", "Locking",
                "PartialFiles", "Hosts", "QueueJournals", "Spate", "Splitting", "TestSupport",
            ]
        ),
        // Programs for tests. KillPoint kills a program at a chosen system call, FailingDisk makes its syncs fail,
        // Stopwatch measures it, and SlowDisk delays its writes. OneDownload is a download to run under them.
        // MidDownload does something else during downloads. Trials tries to crash or block the library.
        .target(name: "CTracing", path: "Tests/CTracing"),
        .executableTarget(name: "KillPoint", dependencies: ["CTracing"], path: "Tests/KillPoint"),
        .executableTarget(name: "FailingDisk", path: "Tests/FailingDisk"),
        .executableTarget(name: "Stopwatch", path: "Tests/Stopwatch"),
        .executableTarget(name: "SlowDisk", path: "Tests/SlowDisk"),
        .executableTarget(name: "OneDownload", dependencies: ["Spate"], path: "Tests/OneDownload"),
        .executableTarget(name: "MidDownload", dependencies: ["Spate"], path: "Tests/MidDownload"),
        .target(name: "CObstacles", path: "Tests/CObstacles"),
        .executableTarget(name: "Trials", dependencies: ["CObstacles", "Spate"], path: "Tests/Trials"),
        .testTarget(
            name: "FaultTests",
            dependencies: [
                "CSystem", "FailingDisk", "KillPoint", "Locking", "MidDownload", "OneDownload", "SlowDisk", "Spate",
                "SpateProgram", "Stopwatch", "TestSupport", "Trials",
            ]
        ),
        // Programs that measure costs: system calls, allocations, and the memory of very many downloads.
        .executableTarget(name: "CallCount", dependencies: ["CTracing"], path: "Tests/CallCount"),
        .target(name: "CAllocationCount", path: "Tests/CAllocationCount"),
        .executableTarget(
            name: "AllocationCount",
            dependencies: ["CAllocationCount", "Spate"],
            path: "Tests/AllocationCount"
        ),
        .executableTarget(name: "ManyFiles", dependencies: ["Spate", "TestSupport"], path: "Tests/ManyFiles"),
        .testTarget(
            name: "CostTests",
            dependencies: ["AllocationCount", "CallCount", "SpateProgram", "TestSupport"]
        ),
        .testTarget(name: "RealServerTests", dependencies: ["ManyFiles", "Spate", "SpateProgram", "TestSupport"]),
        .testTarget(
            name: "ProgramTests",
            dependencies: ["SpateConsole", "SpateDemo", "SpateProgram", "TestSupport"]
        ),
        .testTarget(
            name: "ExampleTests",
            dependencies: [
                "Batch", "Fetch", "Operations", "PauseAndResume", "Quickstart", "SpateDemo", "SpateProgram",
                "TestSupport",
            ]
        ),
        // Whole worlds in one process, each from one seed. See Documentation/Simulation.md.
        .target(
            name: "Simulation",
            dependencies: [
                "CObstacles", "CSystem", "ExtendedAttributes", "FileSystemCalls", "HTTPSyntax", "HTTPTransport",
                "Locking", "Spate", "TestSupport", "Timing",
            ],
            path: "Tests/Simulation",
            exclude: ["Mistakes", "mistakes"]
        ),
        .executableTarget(
            name: "spate-simulation",
            dependencies: ["CTestSystem", "Locking", "Simulation"],
            path: "Tests/SpateSimulation"
        ),
        .testTarget(
            name: "SimulationTests",
            dependencies: [
                "FileSystemCalls", "HTTPSyntax", "HTTPTransport", "Simulation", "TestSupport", "spate-simulation",
            ]
        ),
        .target(name: "CCurlURL", dependencies: ["CCurl"], path: "Tests/Fuzzing/CCurlURL"),
        .target(
            name: "FuzzTargets",
            dependencies: [
                "CCurlURL", "FileSystemCalls", "HTTPResumption", "HTTPSyntax", "Metalinks", "PartialFiles",
                "QueueJournals",
            ],
            path: "Tests/Fuzzing/FuzzTargets"
        ),
        .testTarget(name: "FuzzTests", dependencies: ["FuzzTargets"], path: "Tests/Fuzzing/FuzzTests"),
    ],
    swiftLanguageModes: [.v6]
)

// Links only with the compiler's fuzzing, as in Tests/Fuzzing/run.
if Context.environment["SPATE_FUZZING"] != nil {
    package.targets.append(
        .executableTarget(name: "FuzzProgram", dependencies: ["FuzzTargets"], path: "Tests/Fuzzing/FuzzProgram")
    )
}

// A sanitizer finds nothing more in pure functions on one thread (what reads foreign text is fuzzed under the address
// sanitizer), in costs, to which it adds, in others' servers, or in examples. Without these its build is shorter.
if Context.environment["SPATE_SANITIZER"] != nil {
    let unneeded: Set = [
        "AllocationCount", "Batch", "CAllocationCount", "CCurlURL", "CallCount", "CostTests", "ExampleTests", "Fetch",
        "FuzzTargets", "FuzzTests", "HTTPResumptionTests", "HTTPSyntaxTests", "HostsTests", "ManyFiles",
        "MetalinksTests", "Operations", "PauseAndResume", "Quickstart", "RealServerTests", "Simulation",
        "SimulationTests", "SplittingTests", "TestSupportTests", "spate-simulation",
    ]
    package.targets.removeAll { unneeded.contains($0.name) }
}

let programsInC = ["CallCount", "KillPoint", "FailingDisk", "SlowDisk", "Stopwatch"]
let isInC = { (target: Target) in
    programsInC.contains(target.name) || target.type == .regular && target.name.hasPrefix("C")
}
for target in package.targets where !isInC(target) {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
