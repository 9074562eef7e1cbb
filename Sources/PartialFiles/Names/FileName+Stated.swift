import SpateFilePaths
package import SpateHTTPSyntax

extension FileName {
    /// A name that a server or a program gave for a response: what follows the last separator, made safe; nil if that
    /// is no name, or could mislead.
    ///
    /// Leading dots and dashes are removed. A leading dot would hide the file, and commands read a leading dash as an
    /// option.
    package init?(stated text: String) {
        let scalars = text.unicodeScalars
        let separator = scalars.lastIndex { $0 == "/" || $0 == "\\" }
        let last = scalars[(separator.map(scalars.index(after:)) ?? scalars.startIndex)...]
        guard !last.contains(where: Self.misleads) else { return nil }
        let name = Self.withoutOwnEndings(Self.repaired(Substring(last)))
        guard !name.isEmpty, Self.flaw(of: name) == nil else { return nil }
        self.init(safe: name)
    }

    /// A stated name from a record. nil if `init(stated:)` would change it: then somebody else wrote it.
    init?(stored text: String) {
        guard let name = Self(stated: text), name.path == FilePath(text) else { return nil }
        self = name
    }

    /// The name that a response gives to the file of `url`: in its `Content-Disposition`, or else by the URL that sent
    /// it, if that has an extension and `url` has none. nil if neither gives one.
    package init?(statedBy fields: HTTPFields, from address: HTTPURL, for url: HTTPURL) {
        for text in ContentDisposition.fileNames(in: fields) {
            guard let name = Self(stated: text) else { continue }
            self = name
            return
        }
        guard address != url, !url.namesExtension, address.namesExtension,
            let text = String(validating: address.lastPathComponent, as: UTF8.self)
        else { return nil }
        self.init(stated: text)
    }

    /// Controls, and marks of direction, which can hide an extension.
    private static func misleads(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control || scalar.properties.isBidiControl
    }

    private static func withoutOwnEndings(_ text: String) -> String {
        var rest = Substring(text)
        while true {
            let before = rest.utf8.count
            rest = Substring(trimmed(rest)).drop(leading: [".", "-"])
            for ending in [partialSuffix, ".spate", ".spate.tmp"] where FilePath(String(rest)).hasASCIISuffix(ending) {
                rest = Substring(rest.unicodeScalars.dropLast(ending.unicodeScalars.count))
            }
            if rest.utf8.count == before { return String(rest) }
        }
    }
}

extension Substring {
    fileprivate func drop(leading scalars: Set<Unicode.Scalar>) -> Substring {
        Substring(unicodeScalars.drop(while: scalars.contains))
    }
}

extension HTTPURL {
    /// Whether the last part of the path has an extension.
    package var namesExtension: Bool {
        if let name = plainLastPathComponent { return FileName.extensionStart(of: name.utf8.span) < name.utf8.count }
        let name = lastPathComponent
        return FileName.extensionStart(of: name.span) < name.count
    }
}
