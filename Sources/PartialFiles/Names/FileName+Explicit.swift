package import SpateFilePaths

extension FileName {
    /// A name that the caller chose. Rejects an unsafe name: the caller expects the file at exactly this name.
    package init(explicit text: String) throws(FileNameError) {
        if let flaw = Self.flaw(of: text) { throw FileNameError(name: FilePath(text), flaw: flaw) }
        self.init(safe: text)
    }

    static func flaw(of text: String) -> FileNameError.Flaw? {
        if text.isEmpty { return .empty }
        let name = FilePath(text)
        if name == "." || name == ".." { return .folder }
        if text.utf8.contains(UInt8(ascii: "/")) { return .separator }
        if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            return .controlCharacter
        }
        if text.utf8.count > maximumLength { return .tooLong }
        if isPartial(name) || isSidecar(name) { return .reserved }
        return nil
    }
}

/// Why a name that the caller chose cannot be used.
package struct FileNameError: Error, Hashable, CustomStringConvertible {
    package enum Flaw: Hashable, Sendable {
        case empty, folder, separator, controlCharacter, tooLong, reserved
    }

    package let name: FilePath
    package let flaw: Flaw

    package var description: String {
        switch flaw {
        case .empty: "a file name cannot be empty"
        case .folder: "\"\(name)\" names a folder, not a file"
        case .separator: "\"\(name)\" contains a /: give the name and the folder separately"
        case .controlCharacter: "the file name \(name.text.debugDescription) contains a control character"
        case .tooLong:
            "a file name of \(name.bytes.count) bytes is too long: \(FileName.maximumLength) bytes are allowed"
        case .reserved: "\"\(name)\" is reserved: the endings .part and .spate are for unfinished files"
        }
    }
}
