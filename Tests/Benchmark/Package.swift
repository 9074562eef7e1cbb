// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that building and testing Spate does not build it.
let package = Package(
    name: "SpateBenchmark",
    dependencies: [
        .package(name: "Spate", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "spate-benchmark",
            dependencies: [
                .product(name: "Spate", package: "Spate"), .product(name: "spate", package: "Spate"), "line",
                "slow-disk",
                "stopwatch", "urlsession-baseline",
            ],
            path: "Program"
        ),
        .executableTarget(name: "urlsession-baseline", path: "URLSessionBaseline"),
        .target(name: "CLine", path: "CLine"),
        .executableTarget(name: "line", dependencies: ["CLine"], path: "Line"),
        // Links to programs that the tests use, too. A package cannot have targets by the names of another's.
        .executableTarget(name: "slow-disk", path: "SlowDisk"),
        .executableTarget(name: "stopwatch", path: "Stopwatch"),
        .testTarget(name: "BenchmarkTests", dependencies: ["line", "spate-benchmark"], path: "BenchmarkTests"),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where !["CLine", "slow-disk", "stopwatch"].contains(target.name) {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
