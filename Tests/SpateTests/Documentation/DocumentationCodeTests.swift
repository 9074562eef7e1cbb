import Foundation
import SpateTestSupport
import Testing

/// All Swift code in the documentation is compiled, in the folder `Snippets`.
@Suite struct DocumentationCodeTests {
    private static func snippets(_ name: String) throws -> [Snippet] {
        try Snippet.all(in: Article("Tests/SpateTests/Documentation/Snippets/\(name).swift").text())
    }

    private static func articles() throws -> [String] {
        let others = try ["Documentation", "Sources/Spate/Spate.docc"].flatMap { folder in
            let place = Snapshot.package.appending(path: folder)
            // `PageTests` compares the code of the Chinese pages with that of the English ones.
            return try FileManager.default.subpathsOfDirectory(atPath: place.path).sorted()
                .filter { $0.hasSuffix(".md") && !$0.hasSuffix(".zh-CN.md") }.map { "\(folder)/\($0)" }
        }
        return ["README.md"] + others
    }

    @Test func theCodeInArticlesIsCompiled() throws {
        var count = 0
        for path in try Self.articles() {
            let article = Article(path)
            let text = try article.text()
            let code = CodeBlocks(markdown: text)
            guard !code.blocks.isEmpty else { continue }
            let name = article.snapshot.url.deletingPathExtension().lastPathComponent
            let snippets = try Self.snippets("\(name)Snippets")
            #expect(snippets.count == code.blocks.count, "\(path): every block needs its snippet, in the same order")
            #expect(try article.snapshot.difference(from: code.text(with: snippets)) == nil)
            count += snippets.count
        }
        #expect(count > 10)
    }

    @Test func theCodeInCommentsIsCompiled() throws {
        let snippets = try Self.snippets("CommentSnippets")
        var unused = snippets
        for (path, text) in try Article.sources(in: "Sources/Spate") {
            for block in CodeBlocks(comments: text).blocks {
                let isCompiled = snippets.contains { $0.printed(over: block.lines) == block.lines }
                #expect(isCompiled, "\(path): \(block.lines.joined(separator: "\n"))")
                unused.removeAll { $0.printed(over: block.lines) == block.lines }
            }
        }
        #expect(unused.isEmpty, "\(unused)")
    }

    @Test func thePictureForDarkScreensDiffersOnlyInItsColours() throws {
        let pictures = try ["resuming", "resuming~dark"].map { name in
            try Article("Sources/Spate/Spate.docc/Resources/\(name).svg").text()
                .replacing(/(?:fill|stroke): #[0-9a-f]{6}/, with: "a colour")
        }
        #expect(pictures[0] == pictures[1] && pictures[0].contains("a colour"))
    }
}
