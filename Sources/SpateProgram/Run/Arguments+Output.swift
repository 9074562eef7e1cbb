import Foundation
import Glibc
import SpateConsole
import SpateFilePaths

/// The name or path of `--output`.
extension Arguments {
    /// Whether the content goes to standard output.
    var writesContent: Bool { output == "-" }

    private var outputPath: FilePath? { writesContent ? nil : output.map { FilePath($0) } }

    /// The chosen name, without folders.
    var outputName: String? { outputPath?.lastName.text }

    /// The folder of a path, as an absolute URL. A relative path begins in `--directory`. `nil` for a name.
    var outputFolder: URL? { outputPath?.folder(in: folder) }

    /// The path must be able to become a file.
    func checkOutput() throws(UsageError) {
        guard let output, let name = outputName else { return }
        let file = (outputFolder ?? folder).appendingPathComponent(name).path
        if Self.isFolder(file) {
            throw UsageError(
                .fileName,
                "--output \(PlainText.quoted(output)) is a folder; to put the file into it, give --directory "
                    + PlainText.shownWord(file)
            )
        }
        guard let outputFolder, let fault = Self.whyNotMade(outputFolder.path) else { return }
        let shown = PlainText.quoted(output)
        throw UsageError(fault.kind, "--output \(shown) can't be made: \(fault.reason); choose another")
    }
}
