// swift-tools-version: 6.2
import PackageDescription

// A program that depends on Spate. Outside of this repository, the dependency is
//
//     .package(url: "file:///home/me/Spate.git", from: "0.1.0")
//
// with the URL of a clone, or of another repository that git can fetch.
let package = Package(
    name: "Fetch",
    dependencies: [
        .package(name: "Spate", path: "../..")
    ],
    targets: [
        .executableTarget(name: "Fetch", dependencies: [.product(name: "Spate", package: "Spate")])
    ]
)
