// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Spate",
    products: [
        .library(name: "Spate", targets: ["Spate"]),
        .executable(name: "spate", targets: ["SpateProgram"]),
    ],
    // SwiftPM allows each name of a target only once among all packages that a program uses. So each begins with Spate,
    // or CSpate if it is in C, except those of tests, which only this package sees.
    targets: [
        // The library, lowest first. Each target depends only on targets above it.
        .target(name: "CSpateSystem", path: "Sources/CSystem"),
        .target(
            name: "CSpateCurl",
            path: "Sources/CCurl",
            linkerSettings: [.linkedLibrary(":libcurl.so.4", .when(platforms: [.linux]))]
        ),
        .target(name: "CSpateCrypto", path: "Sources/CCrypto"),
        .target(name: "SpateLocking", path: "Sources/Locking"),
        .target(name: "SpateTiming", dependencies: ["SpateLocking"], path: "Sources/Timing"),
        .target(name: "SpateExtendedAttributes", dependencies: ["CSpateSystem"], path: "Sources/ExtendedAttributes"),
        .target(name: "SpateFilePaths", path: "Sources/FilePaths"),
        .target(name: "SpateHTTPSyntax", path: "Sources/HTTPSyntax"),
        .target(name: "SpateMetalinks", dependencies: ["SpateHTTPSyntax"], path: "Sources/Metalinks"),
        .target(name: "SpateHTTPResumption", dependencies: ["SpateHTTPSyntax"], path: "Sources/HTTPResumption"),
        .target(name: "SpateHosts", dependencies: ["SpateHTTPSyntax"], path: "Sources/Hosts"),
        .target(name: "SpatePacing", path: "Sources/Pacing"),
        .target(
            name: "SpateSplitting",
            dependencies: ["SpateHTTPResumption", "SpateHosts", "SpateTiming"],
            path: "Sources/Splitting"
        ),
        .target(
            name: "SpateFileSystemCalls",
            dependencies: ["CSpateSystem", "SpateExtendedAttributes", "SpateFilePaths", "SpateLocking", "SpateTiming"],
            path: "Sources/FileSystemCalls"
        ),
        .target(
            name: "SpatePartialFiles",
            dependencies: [
                "CSpateSystem", "SpateExtendedAttributes", "SpateFilePaths", "SpateFileSystemCalls",
                "SpateHTTPResumption", "SpateHTTPSyntax", "SpateLocking", "SpateTiming",
            ],
            path: "Sources/PartialFiles"
        ),
        .target(
            name: "SpateQueueJournals",
            dependencies: [
                "SpateFilePaths", "SpateFileSystemCalls", "SpateHTTPSyntax", "SpatePartialFiles", "SpateTiming",
            ],
            path: "Sources/QueueJournals"
        ),
        .target(
            name: "SpateHTTPTransport",
            dependencies: ["CSpateCurl", "CSpateSystem", "SpateHTTPSyntax", "SpateLocking"],
            path: "Sources/HTTPTransport"
        ),
        .target(
            name: "Spate",
            dependencies: [
                "CSpateCrypto", "SpateFilePaths", "SpateFileSystemCalls", "SpateHTTPResumption", "SpateHTTPSyntax",
                "SpateHTTPTransport", "SpateLocking", "SpateMetalinks", "SpatePartialFiles", "SpateHosts",
                "SpatePacing", "SpateQueueJournals", "SpateSplitting", "SpateTiming",
            ]
        ),

        // Programs use only the public API, and the type of paths. `spate` has three targets, so that the demo and the rest stay apart.
        .target(name: "SpateConsole", dependencies: ["Spate", "SpateLocking"]),
        .target(name: "SpateDemo", dependencies: ["Spate", "SpateConsole"]),
        .target(name: "CSpateMalloc", path: "Sources/CMalloc"),
        .target(name: "CSpateSpawn", path: "Sources/CSpawn"),
        .executableTarget(
            name: "SpateProgram",
            dependencies: [
                "CSpateMalloc", "CSpateSpawn", "Spate", "SpateConsole", "SpateDemo", "SpateFilePaths", "SpateLocking",
            ]
        ),
        .executableTarget(name: "SpateQuickstart", dependencies: ["Spate"], path: "Examples/Quickstart"),
        .executableTarget(name: "SpateBatch", dependencies: ["Spate"], path: "Examples/Batch"),
        .executableTarget(name: "SpatePauseAndResume", dependencies: ["Spate"], path: "Examples/PauseAndResume"),
        .executableTarget(name: "SpateOperations", dependencies: ["Spate"], path: "Examples/Operations"),
        // Also a separate package, to show its manifest.
        .executableTarget(name: "SpateFetch", dependencies: ["Spate"], path: "Examples/CommandLine/Sources/Fetch"),

        // Tests: a target for each target above, and their shared support.
        .target(name: "CSpateTestSystem", path: "Tests/CTestSystem"),
        .target(name: "CSpateTestTLS", path: "Tests/CTestTLS"),
        .target(name: "CSpateTestHPACK", path: "Tests/CTestHPACK"),
        .target(
            name: "SpateTestSupport",
            dependencies: [
                "CSpateSystem", "CSpateTestHPACK", "CSpateTestSystem", "CSpateTestTLS", "SpateHTTPTransport",
                "SpateLocking", "Spate", "SpateTiming",
            ],
            path: "Tests/TestSupport"
        ),
        .testTarget(name: "TestSupportTests", dependencies: ["SpateTestSupport"]),
        .testTarget(name: "LockingTests", dependencies: ["SpateLocking"]),
        .testTarget(
            name: "ExtendedAttributesTests",
            dependencies: ["CSpateSystem", "SpateExtendedAttributes", "SpateTestSupport"]
        ),
        .testTarget(name: "HTTPSyntaxTests", dependencies: ["SpateHTTPSyntax", "SpateTestSupport"]),
        .testTarget(name: "FilePathsTests", dependencies: ["SpateFilePaths"]),
        .testTarget(name: "MetalinksTests", dependencies: ["SpateHTTPSyntax", "SpateMetalinks"], exclude: ["Samples"]),
        .testTarget(name: "HostsTests", dependencies: ["SpateHosts", "SpateHTTPSyntax"]),
        .testTarget(
            name: "PacingTests",
            dependencies: ["SpateHosts", "SpateHTTPSyntax", "SpatePacing", "SpateTestSupport"]
        ),
        .testTarget(
            name: "SplittingTests",
            dependencies: [
                "SpateHTTPResumption", "SpateHosts", "SpatePacing", "SpateSplitting", "SpateTestSupport", "SpateTiming",
            ]
        ),
        .testTarget(
            name: "HTTPResumptionTests",
            dependencies: ["SpateHTTPResumption", "SpateHTTPSyntax", "SpateTestSupport"]
        ),
        .testTarget(
            name: "FileSystemCallsTests",
            dependencies: [
                "SpateExtendedAttributes", "SpateFilePaths", "SpateFileSystemCalls", "SpateLocking",
                "SpateTestSupport",
            ]
        ),
        .testTarget(
            name: "PartialFilesTests",
            dependencies: [
                "CSpateSystem", "SpateExtendedAttributes", "SpateFilePaths", "SpateFileSystemCalls",
                "SpateHTTPResumption", "SpateHTTPSyntax", "SpateLocking", "SpatePartialFiles", "SpateTestSupport",
                "SpateTiming",
            ]
        ),
        .testTarget(
            name: "QueueJournalsTests",
            dependencies: [
                "CSpateSystem", "SpateFilePaths", "SpateFileSystemCalls", "SpateHTTPSyntax", "SpateLocking",
                "SpatePartialFiles", "SpateQueueJournals", "SpateTestSupport",
            ]
        ),
        .testTarget(
            name: "HTTPTransportTests",
            dependencies: [
                "CSpateSystem", "SpateHTTPResumption", "SpateHTTPSyntax", "SpateHTTPTransport", "SpateTestSupport",
            ]
        ),
        .testTarget(
            name: "SpateTests",
            dependencies: [
                "CSpateSystem", "SpateFilePaths", "SpateFileSystemCalls", "SpateHTTPResumption", "SpateHTTPSyntax",
                "SpateHTTPTransport", "SpateLocking", "SpatePacing", "SpatePartialFiles", "SpateHosts",
                "SpateQueueJournals", "Spate", "SpateSplitting", "SpateTestSupport", "SpateTiming",
            ]
        ),
        // Programs for tests. KillPoint kills a program at a chosen system call, FailingDisk makes its syncs fail,
        // Stopwatch measures it, and SlowDisk delays its writes. OneDownload is a download to run under them.
        // MidDownload does something else during downloads. Trials tries to crash or block the library.
        .target(name: "CSpateTracing", path: "Tests/CTracing"),
        .executableTarget(name: "SpateKillPoint", dependencies: ["CSpateTracing"], path: "Tests/KillPoint"),
        .executableTarget(name: "SpateFailingDisk", path: "Tests/FailingDisk"),
        .executableTarget(name: "SpateStopwatch", path: "Tests/Stopwatch"),
        .executableTarget(name: "SpateSlowDisk", path: "Tests/SlowDisk"),
        .executableTarget(name: "SpateOneDownload", dependencies: ["Spate"], path: "Tests/OneDownload"),
        .executableTarget(name: "SpateMidDownload", dependencies: ["Spate"], path: "Tests/MidDownload"),
        .target(name: "CSpateObstacles", path: "Tests/CObstacles"),
        .executableTarget(name: "SpateTrials", dependencies: ["CSpateObstacles", "Spate"], path: "Tests/Trials"),
        .testTarget(
            name: "FaultTests",
            dependencies: [
                "CSpateSystem", "SpateFailingDisk", "SpateKillPoint", "SpateLocking", "SpateMidDownload",
                "SpateOneDownload", "SpateSlowDisk", "Spate", "SpateProgram", "SpateStopwatch", "SpateTestSupport",
                "SpateTrials",
            ]
        ),
        // Programs that measure costs: system calls, allocations, and the memory of very many downloads.
        .executableTarget(name: "SpateCallCount", dependencies: ["CSpateTracing"], path: "Tests/CallCount"),
        .target(name: "CSpateAllocationCount", path: "Tests/CAllocationCount"),
        .executableTarget(
            name: "SpateAllocationCount",
            dependencies: ["CSpateAllocationCount", "Spate"],
            path: "Tests/AllocationCount"
        ),
        .executableTarget(
            name: "SpateManyFiles",
            dependencies: ["Spate", "SpateTestSupport"],
            path: "Tests/ManyFiles"
        ),
        .testTarget(
            name: "CostTests",
            dependencies: ["SpateAllocationCount", "SpateCallCount", "SpateProgram", "SpateTestSupport"]
        ),
        .testTarget(
            name: "RealServerTests",
            dependencies: ["SpateManyFiles", "Spate", "SpateProgram", "SpateTestSupport"]
        ),
        .testTarget(
            name: "ProgramTests",
            dependencies: ["SpateConsole", "SpateDemo", "SpateFilePaths", "SpateProgram", "SpateTestSupport"]
        ),
        .testTarget(
            name: "ExampleTests",
            dependencies: [
                "SpateBatch", "SpateFetch", "SpateOperations", "SpatePauseAndResume", "SpateQuickstart", "SpateDemo",
                "SpateProgram", "SpateTestSupport",
            ]
        ),
        // Whole worlds in one process, each from one seed. See Documentation/Simulation.md.
        .target(
            name: "SpateSimulation",
            dependencies: [
                "CSpateObstacles", "CSpateSystem", "SpateExtendedAttributes", "SpateFilePaths",
                "SpateFileSystemCalls", "SpateHTTPSyntax", "SpateHTTPTransport", "SpateLocking", "Spate",
                "SpateTestSupport", "SpateTiming",
            ],
            path: "Tests/Simulation",
            exclude: ["Mistakes", "mistakes"]
        ),
        .executableTarget(
            name: "spate-simulation",
            dependencies: ["CSpateTestSystem", "SpateLocking", "SpateSimulation"],
            path: "Tests/SpateSimulation"
        ),
        .testTarget(
            name: "SimulationTests",
            dependencies: [
                "SpateFilePaths", "SpateFileSystemCalls", "SpateHTTPSyntax", "SpateHTTPTransport", "SpateSimulation",
                "SpateTestSupport", "spate-simulation",
            ]
        ),
        .target(name: "CSpateCurlURL", dependencies: ["CSpateCurl"], path: "Tests/Fuzzing/CCurlURL"),
        .target(
            name: "SpateFuzzTargets",
            dependencies: [
                "CSpateCurlURL", "SpateFilePaths", "SpateFileSystemCalls", "SpateHTTPResumption", "SpateHTTPSyntax",
                "SpateMetalinks", "SpatePartialFiles", "SpateQueueJournals",
            ],
            path: "Tests/Fuzzing/FuzzTargets"
        ),
        .testTarget(name: "FuzzTests", dependencies: ["SpateFuzzTargets"], path: "Tests/Fuzzing/FuzzTests"),
    ],
    swiftLanguageModes: [.v6]
)

// Links only with the compiler's fuzzing, as in Tests/Fuzzing/run.
if Context.environment["SPATE_FUZZING"] != nil {
    package.targets.append(
        .executableTarget(
            name: "SpateFuzzProgram",
            dependencies: ["SpateFuzzTargets"],
            path: "Tests/Fuzzing/FuzzProgram"
        )
    )
}

// A sanitizer finds nothing more in pure functions on one thread (what reads foreign text is fuzzed under the address
// sanitizer), in costs, to which it adds, in others' servers, or in examples. Without these its build is shorter.
if Context.environment["SPATE_SANITIZER"] != nil {
    let unneeded: Set = [
        "CostTests", "CSpateAllocationCount", "CSpateCurlURL", "ExampleTests", "FuzzTests", "HostsTests",
        "HTTPResumptionTests", "HTTPSyntaxTests", "MetalinksTests", "PacingTests", "RealServerTests", "SimulationTests",
        "spate-simulation", "SpateAllocationCount", "SpateBatch", "SpateCallCount", "SpateFetch", "SpateFuzzTargets",
        "SpateManyFiles", "SpateOperations", "SpatePauseAndResume", "SpateQuickstart", "SpateSimulation",
        "SplittingTests", "TestSupportTests",
    ]
    package.targets.removeAll { unneeded.contains($0.name) }
}

let programsInC = ["SpateCallCount", "SpateKillPoint", "SpateFailingDisk", "SpateSlowDisk", "SpateStopwatch"]
let isInC = { (target: Target) in
    programsInC.contains(target.name) || target.type == .regular && target.name.hasPrefix("CSpate")
}
for target in package.targets where !isInC(target) {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
