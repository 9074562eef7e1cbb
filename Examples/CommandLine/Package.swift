// swift-tools-version: 6.2
import PackageDescription

// A program of its own that depends on Spate. Outside of this repository the first line of the dependencies reads
//
//     .package(url: "https://.../Spate.git", branch: "main")
let package = Package(
    name: "Fetch",
    dependencies: [
        .package(name: "Spate", path: "../..")
    ],
    targets: [
        .executableTarget(name: "Fetch", dependencies: [.product(name: "Spate", package: "Spate")])
    ]
)
