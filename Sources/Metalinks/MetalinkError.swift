/// Why a document is no Metalink that can be read, and where.
package struct MetalinkError: Error, Hashable, Sendable {
    package enum Fault: Hashable, Sendable {
        case xml(XMLError.Fault)
        case notAMetalink
        case missingName
        /// Metalink 4 forbids it.
        case duplicateName(String)
        case tooManyFiles
        case tooManyURLs
        case tooManyPieces
    }

    package let fault: Fault
    /// The first line is 1.
    package let line: Int
}

extension MetalinkError: CustomStringConvertible {
    package var description: String { "\(fault), in line \(line)" }
}

extension MetalinkError.Fault: CustomStringConvertible {
    package var description: String {
        switch self {
        case .xml(let fault): "\(fault)"
        case .notAMetalink: "the root element is not that of Metalink 3 or 4"
        case .missingName: "a file has no name"
        case .duplicateName(let name): "there are two files \(name.debugDescription)"
        case .tooManyFiles: "there are too many files"
        case .tooManyURLs: "the file has too many URLs"
        case .tooManyPieces: "there are too many pieces"
        }
    }
}
