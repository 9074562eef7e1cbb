import Foundation

/// The package that these tests are part of.
enum PackageFolder {
    static let url = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}
