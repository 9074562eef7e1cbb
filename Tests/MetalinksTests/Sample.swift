import Foundation

/// A Metalink in the form of a real publisher.
enum Sample: String, CaseIterable {
    /// As MirrorBrain writes Metalink 4, for openSUSE and others.
    case openSUSE = "opensuse.meta4"
    /// As MirrorBrain writes Metalink 3.
    case libreOffice = "libreoffice.metalink"
    /// As MirrorManager writes it: with earlier versions of the file in a foreign namespace.
    case fedora = "fedora.metalink"

    var bytes: [UInt8] {
        get throws {
            let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Samples")
            return [UInt8](try Data(contentsOf: folder.appending(path: rawValue)))
        }
    }
}
