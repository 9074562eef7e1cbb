import Foundation

/// Draws what `tmux capture-pane -e -p` wrote as SVG, and serves what is downloaded for that:
///
///     terminal-picture draw COLUMNS TITLE DESCRIPTION < CAPTURE > PICTURE
///     terminal-picture serve FOLDER
@main
enum TerminalPictureProgram {
    static func main() throws {
        let words = Array(CommandLine.arguments.dropFirst())
        switch words.first {
        case "draw" where words.count == 4:
            guard let columns = Int(words[1]) else { exit(2) }
            let capture = TerminalCapture(
                String(decoding: FileHandle.standardInput.readDataToEndOfFile(), as: UTF8.self)
            )
            print(
                PictureDrawing.svg(capture, columns: columns, title: words[2], description: words[3]),
                terminator: ""
            )
        case "serve" where words.count == 2: try PictureServer.run(in: words[1])
        default:
            FileHandle.standardError.write(
                Data("usage: terminal-picture draw COLUMNS TITLE DESCRIPTION | serve FOLDER\n".utf8)
            )
            exit(2)
        }
    }
}
